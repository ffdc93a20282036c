"""Members of a zip file, also those packed with zstd, which zipfile does not read before Python 3.14."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from adjudge.errors import InputError
from adjudge.io.files import parsing

ZSTD = 93  # the number of the method in the format of zip files
LOCAL_HEADER = 30  # bytes before the name of a member
LENGTHS = slice(26, 30)  # where they say how long its name and its extra field are


class Members:
    """The members of an open zip file."""

    def __init__(self, file: Path, opened: zipfile.ZipFile) -> None:
        self._file, self._opened = file, opened
        self.names = tuple(opened.namelist())

    def read(self, name: str) -> bytes:
        info = self._opened.getinfo(name)
        if info.compress_type != ZSTD:
            return self._opened.read(info)
        with self._file.open("rb") as raw:
            raw.seek(info.header_offset)
            name_length, extra_length = struct.unpack("<HH", raw.read(LOCAL_HEADER)[LENGTHS])
            raw.seek(name_length + extra_length, 1)
            packed = raw.read(info.compress_size)
        content = bytes(pa.CompressedInputStream(pa.BufferReader(packed), "zstd").read(info.file_size))
        if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
            raise InputError(f"{name} in {self._file.name} is damaged; write the file again")
        return content


@contextmanager
def members(file: Path) -> Iterator[Members]:
    with parsing(file), zipfile.ZipFile(file) as opened:
        yield Members(file, opened)
