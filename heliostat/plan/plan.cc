#include "heliostat/plan/plan.h"
