# SPDX-License-Identifier: GPL-2.0
"""Archives in the "newc" format, which is what the kernel unpacks."""

import os
import stat


class Archive:
    """An archive being written; parents of an entry are made on the way."""

    def __init__(self, out):
        self.out = out
        self.seen = set()
        self.inode = 0

    def _entry(self, name, mode, data=b"", device=(0, 0)):
        encoded = name.encode() + b"\0"
        self.inode += 1
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device,
                  len(encoded), 0)
        head = b"070701" + b"".join(b"%08X" % value for value in fields)
        self._padded(head + encoded)
        self._padded(data)

    def _padded(self, data):
        self.out.write(data)
        self.out.write(b"\0" * (-len(data) % 4))

    def directory(self, name):
        """A directory and its parents."""
        if not name or name in self.seen:
            return
        self.directory(os.path.dirname(name))
        self.seen.add(name)
        self._entry(name, stat.S_IFDIR | 0o755)

    def _place(self, name):
        if name in self.seen:
            return False
        self.directory(os.path.dirname(name))
        self.seen.add(name)
        return True

    def file(self, name, data, mode=0o644):
        """A regular file; the first one of a name stays."""
        if self._place(name):
            self._entry(name, stat.S_IFREG | mode, data)

    def link(self, name, target):
        """A symbolic link."""
        if self._place(name):
            self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def char_device(self, name, major, minor):
        """A character device, which the kernel needs before /dev is up."""
        if self._place(name):
            self._entry(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def close(self):
        """The end mark; archives can then follow one another."""
        self._entry("TRAILER!!!", 0)
