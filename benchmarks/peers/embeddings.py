"""Topics of words beside clusters of embeddings: `TopicModel` and BERTopic on raw texts.

    python -m benchmarks.peers.embeddings --data DATA --model MODEL --work WORK

MODEL is a folder or a name that sentence-transformers knows; BERTopic's default is
all-MiniLM-L6-v2. 20news has the posts, whose labels are the groups, and docstrings are those of the
installed packages, whose labels they are. Both systems have the same words, of a vectorizer without
stop words and rare words. All learn from the training texts. What follows is of the test texts:

- NPMI of the ten top words, in the test texts and in all texts, and diversity of 25;
- `outliers`: the share of texts without a topic;
- `nmi`: normalized mutual information of labels and topics: the largest of a text, in BERTopic
  that of the most similar embedding where the text is an outlier;
- `accuracy`: of a logistic regression that learns the label from proportions, in BERTopic from the
  similarity of a text to each topic, with C chosen by cross-validation in the training texts.

Seconds are those of the processor, for training and test texts. Embeddings are computed once, and
have a row of their own; WORK keeps them. BERTopic runs with its defaults, which find the
number of topics ("found"), with the topics merged to a number ("merged"), and with k-means.
Its top words are distinctive ones, so `TopicModel` has two rows: with probable words, and with
distinctive words (relevance).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from topictemper import TopicModel
from topictemper.datasets import load_docstrings
from topictemper.metrics import coherence, topic_diversity
from topictemper.topics import relevance

from .._common.corpora import RESULTS, TEST_ROWS, labels, machine, parser, texts_of, vocabulary
from .._common.table import Table
from .topics import accuracy

FIELDS = (
    "corpus system seed topics seconds npmi npmi_of_all diversity outliers nmi accuracy".split()
)
CORPORA = ("20news", "docstrings")
GRID = [0.01, 0.1, 1.0, 10.0]


class Texts:
    """Texts of a corpus, the first of which are the test texts, with labels and embeddings."""

    def __init__(self, data: Path, name: str, encoder: Any, work: Path) -> None:
        if name == "docstrings":
            corpus = load_docstrings()
            self.texts = list(corpus.text)
            self.labels = np.array([path.partition(".")[0] for path in corpus.names])
            words = list(corpus.feature_names)
        else:
            self.texts = texts_of(data, name)
            self.labels = labels(data, name)
            words = vocabulary(data, name)
        self.encoder = encoder
        self.n_test = min(TEST_ROWS, len(self.texts) // 10)
        counts = CountVectorizer(vocabulary=words).transform(self.texts)
        learned = counts[self.n_test :].sum(axis=0).nonzero()[-1]  # BERTopic takes no other words
        self.counts = counts[:, learned]
        self.vectorizer = CountVectorizer(vocabulary=[words[v] for v in learned])
        kept = work / f"{name}.npz"
        if not kept.exists():
            began = time.process_time()
            embeddings = encoder.encode(self.texts, show_progress_bar=False)
            np.savez(kept, embeddings=embeddings, seconds=time.process_time() - began)
        with np.load(kept) as archive:
            self.embeddings, self.encoding = archive["embeddings"], float(archive["seconds"])

    def parts(self, rows: Any) -> tuple[Any, Any]:
        """Those of the test texts, and those of the training texts."""
        return rows[: self.n_test], rows[self.n_test :]


def ours(corpus: Texts, n_topics: int, seed: int, jobs: int) -> dict[str, Any]:
    """Words of topics, main topics and features of the texts, by `TopicModel`."""
    test, train = corpus.parts(corpus.texts)
    model = TopicModel(n_topics, vectorizer=corpus.vectorizer, random_state=seed, n_jobs=jobs).fit(
        train
    )
    theta = model.transform(test), model.transform(train)
    return {
        "topics": model.lda_.components_,
        "outliers": 0.0,
        "assigned": theta[0].argmax(axis=1),
        "features": theta,
        "first": FunctionTransformer(np.log),
    }


def clusters(corpus: Texts, seed: int, **parameters: Any) -> dict[str, Any]:
    """The same by BERTopic."""
    from bertopic import BERTopic
    from umap import UMAP

    (test, train), (at_test, at_train) = corpus.parts(corpus.texts), corpus.parts(corpus.embeddings)
    model = BERTopic(
        embedding_model=corpus.encoder,
        umap_model=UMAP(
            n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed
        ),
        vectorizer_model=corpus.vectorizer,
        **parameters,
    ).fit(train, at_train)
    assigned = np.array(model.transform(test, at_test)[0])
    outliers = assigned < 0
    of_topics = slice(int(min(model.topics_) < 0), None)
    similarity = [
        cosine_similarity(part, model.topic_embeddings_[of_topics]) for part in (at_test, at_train)
    ]
    return {
        "topics": model.c_tf_idf_[of_topics].toarray(),
        "outliers": outliers.mean(),
        "assigned": np.where(outliers, similarity[0].argmax(axis=1), assigned),
        "features": similarity,
        "first": StandardScaler(),
    }


def measured(corpus: Texts, found: dict[str, Any]) -> dict[str, Any]:
    """What the columns of the table need."""
    X_test, _ = corpus.parts(corpus.counts)
    y_test, _ = corpus.parts(corpus.labels)
    return {
        "topics": len(found["topics"]),
        "npmi": coherence(found["topics"], X_test),
        "npmi_of_all": coherence(found["topics"], corpus.counts),
        "diversity": topic_diversity(found["topics"]),
        "outliers": found["outliers"],
        "nmi": normalized_mutual_info_score(y_test, found["assigned"]),
        "accuracy": accuracy(found["features"], corpus.labels, found["first"], GRID),
    }


def systems(n_topics: int, jobs: int) -> dict[str, Callable[[Texts, int], dict[str, Any]]]:
    """Functions of a corpus and a seed."""

    def topic_model(corpus: Texts, seed: int) -> dict[str, Any]:
        return ours(corpus, n_topics, seed, jobs)

    def distinctive(corpus: Texts, seed: int) -> dict[str, Any]:
        found = topic_model(corpus, seed)
        return found | {"topics": np.exp(relevance(found["topics"]))}

    def merged(corpus: Texts, seed: int) -> dict[str, Any]:
        return clusters(corpus, seed, nr_topics=n_topics + 1)  # one is that of the outliers

    def k_means(corpus: Texts, seed: int) -> dict[str, Any]:
        return clusters(corpus, seed, hdbscan_model=KMeans(n_topics, n_init=10, random_state=seed))

    return {
        "TopicModel": topic_model,
        "TopicModel, distinctive words": distinctive,
        "BERTopic, found": clusters,
        "BERTopic, merged": merged,
        "BERTopic, k-means": k_means,
    }


def main() -> None:
    """Measure the systems on every corpus."""
    arguments = parser(__doc__, data="needed")
    arguments.add_argument("--model", required=True, help="of sentence-transformers")
    arguments.add_argument("--work", type=Path, required=True, help="folder of embeddings")
    arguments.add_argument("--corpora", nargs="*", choices=CORPORA, default=CORPORA)
    arguments.add_argument("--components", type=int, default=50, help="topics")
    arguments.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = arguments.parse_args()

    from sentence_transformers import SentenceTransformer

    print(machine(options.jobs))
    encoder = SentenceTransformer(options.model, device="cpu")
    options.work.mkdir(parents=True, exist_ok=True)
    table = Table(options.out / "embeddings.csv", FIELDS, 3)

    def add(row: dict[str, Any]) -> None:
        table.add({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()})

    for name in options.corpora:
        corpus = Texts(options.data, name, encoder, options.work)
        found = accuracy(corpus.parts(corpus.embeddings), corpus.labels, StandardScaler(), GRID)
        add({"corpus": name, "system": "embeddings", "seconds": corpus.encoding, "accuracy": found})
        for system, run in systems(options.components, options.jobs).items():
            for seed in range(options.seeds):
                began = time.process_time()
                result = run(corpus, seed)
                seconds = time.process_time() - began
                row = {"corpus": name, "system": system, "seed": seed, "seconds": seconds}
                add(row | measured(corpus, result))


if __name__ == "__main__":
    main()
