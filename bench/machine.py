"""What results depend on beside the programs: the machine, and what else it was doing."""
import datetime
import hashlib
import os
import platform
import re


def first_match(pattern, path):
    try:
        with open(path, encoding="utf-8", errors="replace") as text:
            found = re.search(pattern, text.read(), re.M)
    except OSError:
        return None
    return found.group(1).strip() if found else None


def fingerprint(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def load():
    """Programs that wanted a core over the last minute."""
    return os.getloadavg()[0]


def described():
    hypervisor = first_match(r"^flags\s*:.*\b(hypervisor)\b", "/proc/cpuinfo")
    return {
        "cpu": first_match(r"^model name\s*:\s*(.*)$", "/proc/cpuinfo") or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "virtual": "yes" if hypervisor else "no",
        "kernel": re.match(r"[\d.]*", platform.release()).group(),
        "system": first_match(r'^PRETTY_NAME="?([^"\n]*)', "/etc/os-release") or platform.system(),
        "date": datetime.date.today().isoformat(),
    }
