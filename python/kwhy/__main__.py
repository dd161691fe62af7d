"""The program ``kwhy``: ``python -m kwhy`` and the script of the same name."""

import signal
import sys

from kwhy import _kwhy


def main() -> int:
    # the program handles Ctrl-C itself
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.argv[0] = "kwhy"
    return _kwhy.main(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
