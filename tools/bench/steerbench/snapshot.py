# SPDX-License-Identifier: GPL-2.0
"""From the files that a guest shows to the numbers of one measurement."""

import re

from vmlib.errors import VmtestError

SECTOR = 512
# What stands between a lock that is waited for and who wants it.
LOCK_FRAMES = re.compile(r"(0x|kprobe_|ftrace_|native_queued_spin_lock|"
                         r"queued_spin_lock|_raw_spin_|__raw_|"
                         r"__pv_queued|lock_acquire)")
OURS = "[virtio_scsi]"
HEADING = re.compile(r"==> (.*) <==")


class SnapshotError(VmtestError):
    """The guest's files do not say what they should."""

    status = 1


def sections(lines):
    """name -> lines, of what "head" prints for several files."""
    found, name = {}, None
    for line in lines:
        heading = HEADING.fullmatch(line)
        if heading:
            name = heading[1]
            found[name] = []
        elif name:
            found[name].append(line)
    return found


def disk_sums(files):
    """I/Os, merges and bytes of all disks so far."""
    sums = {"ios": 0, "merges": 0, "bytes": 0}
    for name, lines in files.items():
        if name.startswith("/sys/block/"):
            words = [int(word) for word in lines[0].split()]
            sums["ios"] += words[0] + words[4]
            sums["merges"] += words[1] + words[5]
            sums["bytes"] += (words[2] + words[6]) * SECTOR
    return sums


def interrupts(files):
    """Interrupts of the request queues so far, a list for each queue."""
    lines = files["/proc/interrupts"]
    cpus = len(lines[0].split())
    rows = []
    for line in lines[1:]:
        words = line.split()
        if len(words) > cpus and re.search(r"virtio\d+-request", words[-1]):
            rows.append([int(word) for word in words[1:cpus + 1]])
    if not rows:
        raise SnapshotError("no request interrupts in /proc/interrupts")
    return rows


def queue_sums(files):
    """The columns of our debugfs table, added up; empty for in-tree."""
    sums = {}
    for name, lines in files.items():
        if not name.endswith("/queues"):
            continue
        head = lines[0].split()[1:]
        for line in filter(None, lines[1:]):
            for key, word in zip(head, line.split()[1:]):
                sums[key] = sums.get(key, 0) + int(word)
    return sums


def hist(files, event):
    """The lines of an event's histogram, or None if it was not counted."""
    for name, lines in files.items():
        if name.endswith(f"/events/{event}/hist"):
            lost = next(int(line.split()[1]) for line in lines
                        if line.strip().startswith("Dropped:"))
            if lost:
                raise SnapshotError(f"{event}: {lost} events were not counted")
            return lines
    return None


def hits(lines):
    """How often an event came."""
    return next(int(line.split()[1]) for line in lines
                if line.strip().startswith("Hits:"))


def completions(lines):
    """Completions on the submitter's CPU, and on others."""
    own = other = 0
    for line in lines:
        found = re.match(r"{ common_cpu: +(\d+), from: +(\d+) } "
                         r"hitcount: +(\d+)", line)
        if found and found[1] == found[2]:
            own += int(found[3])
        elif found:
            other += int(found[3])
    return own, other


def waits(lines):
    """Waits for the driver's own locks: the first caller is the driver."""
    total, caller = 0, None
    for line in map(str.strip, lines):
        if line.startswith("{ common_stacktrace"):
            caller = ""
        elif line.startswith("} hitcount:"):
            if caller and caller.endswith(OURS):
                total += int(line.split()[2])
            caller = None
        elif caller == "" and not LOCK_FRAMES.match(line):
            caller = line
    return total


def counted(files):
    """What the probes have counted so far."""
    bells = hist(files, "bench/bell")
    if bells is None:
        return {}
    own, other = completions(hist(files, "bench/finish"))
    return {"doorbells": hits(bells), "own_cpu": own, "other_cpu": other,
            "waits": waits(hist(files, "bench/wait")),
            "queued_waits": waits(hist(files, "lock/contention_begin"))}


def totals(lines):
    """All sums of one snapshot."""
    files = sections(lines)
    try:
        return {"uptime": float(files["/proc/uptime"][0].split()[0]),
                **disk_sums(files), **counted(files),
                "interrupts": interrupts(files), "table": queue_sums(files)}
    except (KeyError, IndexError, ValueError, StopIteration) as error:
        raise SnapshotError(f"a snapshot of the guest: {error!r}") from error


def minus(after, before):
    """AFTER less BEFORE, whatever holds the numbers."""
    if isinstance(after, dict):
        return {key: minus(after[key], before[key]) for key in after}
    if isinstance(after, list):
        return [minus(a, b) for a, b in zip(after, before)]
    return after - before


def numbers(before, after):
    """The numbers of the time between two snapshots."""
    found = minus(totals(after), totals(before))
    found["seconds"] = round(found.pop("uptime"), 2)
    if found["seconds"] <= 0 or found["ios"] <= 0:
        raise SnapshotError(f"{found['ios']} I/Os in {found['seconds']} s")
    return found
