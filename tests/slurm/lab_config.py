"""The configuration files of a lab: slurm.conf and those beside it."""
import pathlib
import secrets
import socket
import subprocess

# A lab in accelerated time has short seconds: its daemons wait longer, by their own clock, and schedule less often.
HURRIED = {"MessageTimeout": 100, "SlurmdTimeout": 0, "SlurmctldTimeout": 3600, "KillWait": 35, "SuspendTimeout": 65,
           "ResumeTimeout": 1800, "JobAcctGatherFrequency": "task=0,energy=0",
           "SchedulerParameters": "bf_interval=30,sched_interval=30,batch_sched_delay=20"}


def nodes_of(options):
    """[(name, GPU type, GPUs)] of the options `class`, numbered through."""
    nodes = []
    for text in options["classes"] or ["4:rtx4090:4"]:
        parts = text.split(":")
        if len(parts) != 3 or not parts[0].isdigit() or not parts[2].isdigit() or not int(parts[0]):
            raise ValueError(f"--class {text}: is no class of nodes; write NODES:TYPE:GPUS, such as 4:rtx4090:4")
        for _ in range(int(parts[0])):
            nodes.append((f"gpu{len(nodes) + 1}", parts[1], int(parts[2])))
    return nodes


def settings(folder, options, ports):
    host = socket.gethostname().split(".")[0]
    munge = folder / "munge/socket"
    expiry = 120 if options["speed"] != 1 else 5
    values = {
        "ClusterName": "lab", "SlurmctldHost": f"{host}(127.0.0.1)", "SlurmctldPort": ports["slurmctld"],
        # Root: the power programs stop and start slurmd.
        "SlurmUser": "root", "SlurmdUser": "root",
        "AuthType": "auth/munge", "AuthInfo": f"socket={munge},cred_expire={expiry}", "CredType": "cred/munge",
        "StateSaveLocation": folder / "state", "SlurmdSpoolDir": folder / "spool/%n",
        "SlurmctldPidFile": folder / "run/slurmctld.pid", "SlurmdPidFile": folder / "run/%n.pid",
        "SlurmctldLogFile": folder / "log/slurmctld.log", "SlurmdLogFile": folder / "log/%n.log",
        # No cgroups, no detection of hardware: a machine of two cores may say that it has sixteen.
        "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "JobAcctGatherType": "jobacct_gather/linux",
        "SlurmdParameters": "config_overrides", "SwitchType": "switch/none", "MpiDefault": "none", "MailProg": "/bin/true",
        "ReturnToService": 2, "SlurmctldTimeout": 30, "SlurmdTimeout": 60, "MessageTimeout": 15, "KillWait": 2,
        "MinJobAge": 300, "MaxJobCount": 20000,
        "SchedulerType": "sched/backfill", "SchedulerParameters": "bf_interval=2,sched_interval=2,batch_sched_delay=0",
        "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_Core", "PriorityType": "priority/multifactor",
        "PreemptType": "preempt/none", "JobRequeue": 1, "GresTypes": "gpu",
    }
    if options["database"]:
        values.update({"AccountingStorageType": "accounting_storage/slurmdbd", "AccountingStorageHost": "127.0.0.1",
                       "AccountingStoragePort": ports["slurmdbd"], "AccountingStoragePass": munge,
                       "AccountingStorageTRES": "gres/gpu", "AccountingStoreFlags": "job_comment"})
    if options["power_saving"]:
        # A year: nodes fall asleep when somebody says so, unless a test sets another time.
        values.update({"SuspendProgram": folder / "suspend", "ResumeProgram": folder / "resume", "SuspendTime": 31536000,
                       "SuspendTimeout": 2, "ResumeTimeout": 30, "SuspendRate": 0, "ResumeRate": 0})
    if options["speed"] != 1:
        values.update({key: value for key, value in HURRIED.items() if key in values or key == "JobAcctGatherFrequency"})
    for line in options["set"]:
        key, sign, value = line.partition("=")
        if not sign:
            raise ValueError(f"--set {line}: is no setting; write KEY=VALUE")
        values[key] = value
    return values


def write(folder, options, ports):
    """Writes all configuration files. `ports` has one per daemon and node, by name."""
    for name in ("etc", "state", "spool", "log", "run", "dev", "munge", "mysql", "watts"):
        (folder / name).mkdir(mode=0o755)
    nodes = nodes_of(options)
    host = socket.gethostname().split(".")[0]
    conf = [f"{key}={value}" for key, value in settings(folder, options, ports).items()]
    gres = ["AutoDetect=off"]
    for name, gpu, count in nodes:
        fake = f"Gres=gpu:{gpu}:{count} Feature={gpu}" if count else "Feature=cpu"
        conf.append(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[name]} CPUs=16 RealMemory=64000 {fake}")
        if count:
            gres.append(f"NodeName={name} Name=gpu Type={gpu} File={folder}/dev/nvidia[0-{count - 1}]")
    conf += ["PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE", "PartitionName=other Nodes=ALL MaxTime=INFINITE"]
    (folder / "etc/slurm.conf").write_text("\n".join(conf) + "\n")
    (folder / "etc/gres.conf").write_text("\n".join(gres) + "\n")
    # Slurm wants character devices; these are all /dev/null.
    for index in range(max(count for _, _, count in nodes)):
        subprocess.run(["mknod", str(folder / f"dev/nvidia{index}"), "c", "1", "3"], check=True)
    # slurmd loads a cgroup plug-in in any case. Old releases know no `disabled`, and do not use this one.
    version = subprocess.run(["slurmd", "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    is_old = tuple(int(part) for part in version.split(".")[:2]) < (23, 11)
    (folder / "etc/cgroup.conf").write_text(f"CgroupPlugin={'cgroup/v1' if is_old else 'disabled'}\n")
    key = folder / "munge/key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    if options["database"]:
        write_database(folder, ports)
    if options["power_saving"]:
        write_power_programs(folder)


def write_database(folder, ports):
    conf = folder / "etc/slurmdbd.conf"
    conf.write_text("\n".join([
        "AuthType=auth/munge", f"AuthInfo=socket={folder}/munge/socket", "DbdHost=localhost", "DbdAddr=127.0.0.1",
        f"DbdPort={ports['slurmdbd']}", "SlurmUser=root", f"LogFile={folder}/log/slurmdbd.log", f"PidFile={folder}/run/slurmdbd.pid",
        "StorageType=accounting_storage/mysql", "StorageHost=127.0.0.1", f"StoragePort={ports['mariadb']}", "StorageUser=slurm",
        "StoragePass=slurm", "StorageLoc=slurm"]) + "\n")
    conf.chmod(0o600)


def write_power_programs(folder):
    lab = pathlib.Path(__file__).resolve().parent / "lab"
    for name, action in (("suspend", "stop"), ("resume", "wake")):
        program = folder / name
        # slurmctld calls it with an empty environment, blocked signals and closed files: the supervisor does the work.
        program.write_text(f"#!/bin/sh\nexport PATH=/usr/bin:/bin:/usr/sbin SLURM_CONF={folder}/etc/slurm.conf\n"
                           f"{lab} do {folder} {action} $(scontrol show hostnames \"$1\") </dev/null >>{folder}/log/power 2>&1\n")
        program.chmod(0o755)
