#include "heliostat/account/balance.h"
