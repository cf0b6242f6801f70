//! A headless Chromium, driven through its pipe: one JSON text per message, ended by a zero byte (the Chrome DevTools protocol).

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any answer takes on a machine under load.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads from descriptor 3 and writes to 4: those of a shell's input and output.
const SCRIPT: &str = "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";

/// A browser with one page.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    events: VecDeque<Value>,
    last: u64,
    has_scripts: bool,
    _profile: TempDir,
}

impl Browser {
    pub fn start() -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "sh", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]);
        command.args(["--hide-scrollbars", "--disable-background-networking", "--remote-debugging-pipe"]);
        command.arg(format!("--user-data-dir={}", profile.path().display())).env("HOME", profile.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { break };
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let (session, events) = (String::new(), VecDeque::new());
        let mut browser =
            Browser { child, input, messages, session, events, last: 0, has_scripts: true, _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        browser.session = browser.call("Target.attachToTarget", attach)["sessionId"].as_str().unwrap().to_string();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.call("Page.setLifecycleEventsEnabled", json!({ "enabled": true }));
        browser
    }

    /// What the browser answers.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.input.write_all(message.to_string().as_bytes()).unwrap();
        self.input.write_all(&[0]).unwrap();
        loop {
            let mut message = self.message(method);
            if message["id"] == json!(self.last) {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].take();
            }
            self.events.push_back(message);
        }
    }

    fn message(&mut self, of: &str) -> Value {
        self.messages
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("{of}: {error}; is chromium installed (scripts/bootstrap.sh)?"))
    }

    /// Opens a file, with the events of that; returns how long it took until everything was drawn.
    pub fn open(&mut self, path: &Path, fragment: &str) -> Duration {
        // Another document, even where only the fragment differs.
        self.navigate("about:blank");
        self.events.clear();
        let begin = Instant::now();
        self.navigate(&format!("file://{}{fragment}", path.display()));
        if self.has_scripts {
            self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
        }
        begin.elapsed()
    }

    /// Pages that are opened from now on have no scripts.
    pub fn without_scripts(&mut self) {
        self.has_scripts = false;
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    }

    /// Until this document is loaded: what tells of one before may come late.
    fn navigate(&mut self, url: &str) {
        let loader = self.call("Page.navigate", json!({ "url": url }))["loaderId"].take();
        let is_loaded = |event: &Value| {
            event["method"] == "Page.lifecycleEvent"
                && event["params"]["name"] == "load"
                && event["params"]["loaderId"] == loader
        };
        while !self.events.iter().any(is_loaded) {
            let message = self.message("loading");
            self.events.push_back(message);
        }
    }

    /// What a JavaScript expression, or the promise that it is, gives.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.call("Runtime.evaluate", parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }

    /// Puts a slider to a place, as its user does.
    pub fn slide(&mut self, id: &str, to: usize) {
        self.value(&format!(
            "(() => {{ const own = document.getElementById('{id}'); own.value = {to};
                own.dispatchEvent(new Event('input', {{ bubbles: true }})); return own.value; }})()"
        ));
    }

    /// What the console has of errors and warnings since the page was opened.
    pub fn complaints(&mut self) -> Vec<String> {
        // What was logged before an answer is there when the answer is.
        self.value("1");
        let is_complaint = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                ["error", "warning", "assert"].iter().any(|own| event["params"]["type"] == *own)
            }
            Some("Log.entryAdded") => ["error", "warning"].iter().any(|own| event["params"]["entry"]["level"] == *own),
            _ => false,
        };
        self.events.iter().filter(is_complaint).map(Value::to_string).collect()
    }

    /// Everything that was asked for since then, the file among it.
    pub fn requests(&mut self) -> Vec<String> {
        self.value("1");
        let asked = self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        asked.map(|event| event["params"]["request"]["url"].as_str().unwrap().to_string()).collect()
    }

    /// A screen of this width, as a telephone's where it is narrow.
    pub fn screen(&mut self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// `light` or `dark`, on the screen or on paper.
    pub fn media(&mut self, media: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": media, "features": features }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
