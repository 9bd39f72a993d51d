#include "heliostat/planner/planner.h"
