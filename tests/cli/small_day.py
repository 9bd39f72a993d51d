"""A small day that tests of the command line plan and simulate."""
import math

from program import Case

SLOTS = 24

SCENARIO = """
name = "small <day>"
start = 2023-06-05T00:00:00Z
step_minutes = 60
slots = 24
pue = 1.2
currency = "EUR"
performance = "throughput"

[signals]
carbon = { file = "carbon.csv", column = "carbon_g_per_kwh" }
renewable = { file = "solar.csv", column = "renewable_kw", carbon_g_per_kwh = 10 }
price = { file = "price.csv", column = "price_per_kwh" }

[[groups]]
name = "a40"
gpu = "A40"
nodes = 2
gpus_per_node = 4
gpu_idle_w = 30
node_base_w = 350
node_sleep_w = 15
wake_minutes = 5
wake_wh = 20

[profiles]
training = "training.csv"
inference = "inference.csv"

[workload]
jobs = "jobs.csv"
services = "services.csv"
"""
TRAINING = """model,gpu,workers,core_mhz,power_limit_w,samples_per_s,power_w
net,A40,1,,150,60,150
net,A40,1,,300,100,290
net,A40,2,,150,110,300
net,A40,2,,300,190,580
net,A40,4,,300,350,1160
"""
INFERENCE = """model,gpu,core_mhz,power_limit_w,batch,latency_ms,requests_per_s,power_w
clip,A40,900,,1,12,80,90
clip,A40,1500,,1,8,120,160
"""
JOBS = """id,model,submit,deadline,samples,min_workers,max_workers,preemptible,resume_s
early,net,2023-06-05T00:00:00Z,2023-06-05T04:00:00Z,800000,1,4,1,60
roomy,net,2023-06-05T00:30:00Z,2023-06-05T22:00:00Z,900000,1,2,1,60
whole,net,2023-06-05T06:00:00Z,2023-06-05T20:00:00Z,700000,1,4,0,60
spare,net,2023-06-05T02:00:00Z,,600000,1,2,1,60
"""
SERVICES = """id,model,latency_slo_ms,percentile,rate_file,rate_column,min_replicas,max_replicas
"front & back",clip,60,0.99,rate.csv,requests_per_s,1,3
"""


def hourly(name, values):
    lines = [f"2023-06-05T{hour:02}:00:00Z,{values(hour):.4f}\n" for hour in range(SLOTS)]
    return f"time,{name}\n" + "".join(lines)


class SmallDay(Case):
    def scenario(self, **files):
        """Writes the day; keyword arguments replace a file, or take it away (None)."""
        contents = {
            "scenario.toml": SCENARIO, "training.csv": TRAINING, "inference.csv": INFERENCE, "jobs.csv": JOBS,
            "services.csv": SERVICES,
            "carbon.csv": hourly("carbon_g_per_kwh", lambda hour: 400 + 150 * math.cos(hour / 12 * math.pi)),
            "price.csv": hourly("price_per_kwh", lambda hour: 0.2 + 0.1 * math.sin(hour / 12 * math.pi)),
            "solar.csv": hourly("renewable_kw", lambda hour: 2.5 * max(0.0, math.sin((hour - 5) / 14 * math.pi))),
            "rate.csv": hourly("requests_per_s", lambda hour: 60 + 40 * math.sin(hour / 12 * math.pi))}
        contents.update({name.replace("_", ".", 1): text for name, text in files.items()})
        for name, text in contents.items():
            if text is not None:
                self.write(name, text)
        return self.folder / "scenario.toml"
