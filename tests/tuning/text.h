/* Files of tuned plans as texts, to be damaged. */
#ifndef LAY_TESTS_TUNING_TEXT_H
#define LAY_TESTS_TUNING_TEXT_H

/* Puts the right checksum at the end of each line of a product; to is to have 20 bytes more a line than from. */
void text_seal(const char *from, char *to);

#endif
