#include "heliostat/ui/cli/app.h"

int main(int argc, char** argv) { return heliostat::cli::Run(argc, argv); }
