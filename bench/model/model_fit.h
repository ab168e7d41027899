/* Rates that make a score least. */
#ifndef MODEL_FIT_H
#define MODEL_FIT_H

/* Changes the library's rates one after the other, up and down, and keeps what makes the score less. The least score.
 */
double model_fit(double (*score)(void *of), void *of);

#endif
