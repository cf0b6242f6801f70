// Arrays of structures, nested ones, whole copies, and a single one behind a pointer.
struct point {
    float x, y, z;
};

typedef struct {
    struct point position, velocity;
    float weight[2];
} body;

struct limits {
    float low, high;
};

#pragma burstc size(n: 128, max 1024)
void structs(int n, body b[n], struct point forces[n], const struct limits *limits)
{
    for (int i = 0; i < n; i++) {
        struct point force = {0.0f, b[i].weight[0]};
        const body *own = &b[i];
        for (int k = 0; k < 2; k++)
            force.x += own->weight[k] * own->position.z;
        force.z = force.y > limits->high ? limits->high : force.y;
        force.y = own->position.y - own->velocity.y;
        forces[i] = force;
    }
    for (int i = 1; i < n; i++) {
        b[i].velocity = i % 3 == 0 ? forces[i] : b[i - 1].position;
        b[i].weight[1] = limits->low * b[i].velocity.x;
    }
}
