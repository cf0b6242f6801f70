#!/bin/sh
# scripts/mutations.sh [COUNT [SEED]]: changes C files at random, COUNT of them from SEED on, and builds each. Each must be
# built (exit code 0) or refused (2) within 10 s of processor time and 1 GB. Prints seeds of failures and the counts.
set -eu
cd "$(dirname "$0")/.."
BURSTC_MUTATIONS_COUNT=${1:-10000} BURSTC_MUTATIONS_SEED=${2:-1} \
    exec cargo test --release --test mutations -- --ignored --nocapture many_mutations
