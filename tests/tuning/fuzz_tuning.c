/* libFuzzer: any text is refused, or what it says of products is written and read again the same. Checksums are put
 * right, and so is the machine, for the fuzzer to come behind them.
 *
 *   meson setup -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false build_fuzz   (with CC=clang)
 *   build_fuzz/tests/tuning/fuzz_tuning -max_total_time=60 corpus_found tests/tuning/corpus */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/identity.h"
#include "reader.h"
#include "text.h"

enum { ROOM = 1 << 14 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static char text[ROOM], raw[2 * ROOM], sealed[40 * ROOM]; /* "product \n" grows by 18 bytes */
    char machine[256];
    int is_read;
    lay_text own = { .to = machine, .size = sizeof machine };
    if (size >= ROOM || memchr(data, 0, size))
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    lay_machine_fingerprint(&own);
    char *const at = strstr(text, "THIS MACHINE");
    if (at)
        snprintf(raw, sizeof raw, "%.*s%s%s", (int)(at - text), text, machine, at + strlen("THIS MACHINE"));
    else
        memcpy(raw, text, size + 1);
    text_seal(raw, sealed);
    const char *wrong = reader_check(sealed, strlen(sealed), &is_read);
    if (wrong) {
        fprintf(stderr, "not so: %s\n", wrong);
        abort();
    }
    return 0;
}
