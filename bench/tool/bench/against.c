/* Peers are loaded once the environment is what they shall find. */
#include "against.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/base/complain.h"

int open_peers(const args *given, task *out)
{
    const char *path;
    /* Threads of Intel's OpenMP spin for 200 ms after their work, into the next turns, if nothing
     * else is said. */
    setenv("KMP_BLOCKTIME", "10", 0);
    for (int i = 0; (path = args_repeated(given, "against", i)); i++) {
        if (i == MAX_PEERS)
            return refuse("more than %d peers", MAX_PEERS);
        const int status = peer_open(path, &out->peers[i]);
        if (status != EXIT_FINE)
            return status;
        out->terms.peer_count = i + 1;
    }
    out->terms.peers = out->peers;
    return EXIT_FINE;
}

void name_peers_apart(task *in)
{
    for (int i = in->terms.peer_count - 1; i > 0; i--) {
        int same = 1;
        for (int j = 0; j < i; j++)
            same += strcmp(in->peers[i].name, in->peers[j].name) == 0;
        const size_t length = strlen(in->peers[i].name);
        if (same > 1)
            snprintf(in->peers[i].name + length, sizeof in->peers[i].name - length, " %d", same);
    }
}
