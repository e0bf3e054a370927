#include <gegl.h>
int main(void){return 1;}
