/* The rows of lay bench in files, as CSV and as JSON. */
#include "rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/base/choices.h"

static const char *caches(const terms *under)
{
    return under->is_cold ? "cold" : "warm";
}

static const char *kernels(const result *by)
{
    return by->peer && *by->peer->kernels ? by->peer->kernels : by->how;
}

/* Columns are added at the end only. */
void rows_start_csv(FILE *to)
{
    fprintf(to, "problem,m,n,k,layout_a,layout_b,layout_c,type,memory,threads,who,kernels,rounds,calls,median_seconds,"
                "lowest_seconds,gflops,peak_gflops,share_of_peak,lay_is,lay_is_at_best,of_row,unit_gflops,spread,"
                "caches,roof_gflops,"
                "roof_gbytes\n");
}

/* A quote inside is doubled. */
static void write_field(FILE *csv, const char *text)
{
    fputc('"', csv);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', csv);
        fputc(*text, csv);
    }
    fputs("\",", csv);
}

static void write_number(FILE *csv, double number)
{
    if (!isnan(number))
        fprintf(csv, "%.4f", number);
    fputc(',', csv);
}

void rows_write_csv(FILE *to, const line *one)
{
    const problem *of = one->of;
    write_field(to, of->text);
    fprintf(to, "%" PRId64 ",%" PRId64 ",%" PRId64 ",", of->m, of->n, of->k);
    for (int i = 0; i < 3; i++)
        write_field(to, of->notation[i]);
    fprintf(to, "%s,%s,%d,", problem_type_name(one->under->type), choices_memory_name(one->under->memory),
            one->under->options.threads);
    write_field(to, one->by->who);
    write_field(to, kernels(one->by));
    fprintf(to, "%d,%" PRId64 ",%.6g,%.6g,%.5g,", one->what->rounds, one->by->calls, one->seconds, one->lowest,
            one->gflops);
    write_number(to, one->peak);
    write_number(to, one->gflops / one->peak);
    write_number(to, one->speedup);
    write_number(to, one->at_best);
    write_number(to, one->of_row);
    write_number(to, one->unit);
    write_number(to, one->spread);
    fprintf(to, "%s,", caches(one->under));
    write_number(to, one->what->roof_gflops);
    if (!isnan(one->what->roof_gbytes))
        fprintf(to, "%.4f", one->what->roof_gbytes);
    fputc('\n', to);
    fflush(to);
}

/* Bytes of the UTF-8 character that a text begins with, 0 where it is none. */
static int length_of_character(const unsigned char *text)
{
    const int length = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : *text < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    const int is_long = (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xf0 && text[1] < 0x90);
    const int is_beyond = (*text == 0xed && text[1] > 0x9f) || (*text == 0xf4 && text[1] > 0x8f);
    return is_long || is_beyond ? 0 : length;
}

void rows_write_text(FILE *to, const char *text)
{
    if (!text) {
        fputs("null", to);
        return;
    }
    fputc('"', to);
    while (*text) {
        const int length = length_of_character((const unsigned char *)text);
        if (length == 0)
            fputs("\\ufffd", to);
        else if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(to, "\\u%04x", (unsigned)*text);
        else
            fwrite(text, 1, (size_t)length, to);
        text += length ? length : 1;
    }
    fputc('"', to);
}

static void write_key_text(FILE *to, const char *key, const char *text)
{
    fprintf(to, "\"%s\": ", key);
    rows_write_text(to, text);
    fputs(", ", to);
}

static void write_key(FILE *to, const char *key, double number, int digits)
{
    if (isfinite(number))
        fprintf(to, "\"%s\": %.*g, ", key, digits, number);
    else
        fprintf(to, "\"%s\": null, ", key);
}

void rows_start_json(FILE *to, const rows_head *head)
{
    fputs("{", to);
    write_key_text(to, "format", "lay bench 1");
    write_key_text(to, "version", lay_version());
    write_key_text(to, "command", head->command);
    write_key_text(to, "machine", head->machine);
    write_key(to, "load", head->load, 4);
    fputs("\"warnings\": [", to);
    for (int i = 0; i < head->warning_count; i++) {
        fputs(i ? ", " : "", to);
        rows_write_text(to, head->warnings[i]);
    }
    fputs("], ", to);
    write_key(to, "rounds", head->under->rounds, 4);
    write_key(to, "min_time", head->under->min_time, 6);
    fputs("\"rows\": [", to);
}

void rows_write_json(FILE *to, const line *one, int is_first)
{
    static const char *const layout[] = { "layout_a", "layout_b", "layout_c" };
    const problem *of = one->of;
    fputs(is_first ? "\n{" : ",\n{", to);
    write_key_text(to, "problem", of->text);
    fprintf(to, "\"m\": %" PRId64 ", \"n\": %" PRId64 ", \"k\": %" PRId64 ", ", of->m, of->n, of->k);
    for (int i = 0; i < 3; i++)
        write_key_text(to, layout[i], of->notation[i]);
    write_key_text(to, "type", problem_type_name(one->under->type));
    write_key_text(to, "memory", choices_memory_name(one->under->memory));
    fprintf(to, "\"threads\": %d, ", one->under->options.threads);
    write_key_text(to, "who", one->by->who);
    write_key_text(to, "kernels", kernels(one->by));
    fprintf(to, "\"rounds\": %d, \"calls\": %" PRId64 ", ", one->what->rounds, one->by->calls);
    write_key(to, "median_seconds", one->seconds, 9);
    write_key(to, "lowest_seconds", one->lowest, 9);
    write_key(to, "gflops", one->gflops, 6);
    write_key(to, "peak_gflops", one->peak, 6);
    write_key(to, "share_of_peak", one->gflops / one->peak, 6);
    write_key(to, "speedup", one->speedup, 6);
    write_key(to, "speedup_at_best", one->at_best, 6);
    write_key(to, "of_row", one->of_row, 6);
    write_key(to, "unit_gflops", one->unit, 6);
    write_key(to, "spread", one->spread, 6);
    write_key_text(to, "caches", caches(one->under));
    write_key(to, "roof_gflops", one->what->roof_gflops, 6);
    write_key(to, "roof_gbytes", one->what->roof_gbytes, 6);
    fputs("\"seconds\": [", to);
    for (int i = 0; i < one->what->rounds; i++)
        fprintf(to, "%s%.9g", i ? ", " : "", one->by->seconds[i]);
    fputs("]}", to);
    fflush(to);
}

void rows_end_json(FILE *to, int is_complete)
{
    fprintf(to, "\n], \"complete\": %s}\n", is_complete ? "true" : "false");
}
