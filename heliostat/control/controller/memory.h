#pragma once

namespace heliostat::controller {

// Makes this process give large blocks back to the system when they are freed, and all threads take small ones from one
// place. Otherwise the texts of each look at a cluster leave gaps that nothing else fits into.
void KeepMemorySmall();

}  // namespace heliostat::controller
