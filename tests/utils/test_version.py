import subprocess
import sys
from importlib.metadata import version

import topictemper

WITHOUT_METADATA = """
import importlib.metadata as metadata

installed = metadata.distribution

def distribution(name):
    if name == "topictemper":
        raise metadata.PackageNotFoundError(name)
    return installed(name)

metadata.distribution = distribution
from topictemper import TemperedLDA, load

TemperedLDA(2, max_iter=1, random_state=0).fit([[2, 0, 1], [0, 3, 1]]).save("model.npz")
load("model.npz")
"""


def test_it_is_that_of_the_installed_package():
    assert topictemper.__version__ == version("topictemper")


def test_archives_and_images_without_metadata(tmp_path):
    subprocess.run([sys.executable, "-c", WITHOUT_METADATA], cwd=tmp_path, check=True)
