"""Names in other libraries, and in the parts of a `TopicModel`, with those in the model itself."""

from __future__ import annotations

from sklearn.feature_extraction.text import CountVectorizer

from ..lda._estimator import TemperedLDA
from ..lda._other_names import ATTRIBUTES as OTHER_ATTRIBUTES
from ..lda._other_names import CALLED as OTHER_NAMES
from ..lda._other_names import OF_BERTOPIC, SHARES_PLOT
from ._parameters import OF_LDA

#: Parameters of the parts and of other libraries, with what they are in a `TopicModel`.
CALLED = {
    **{
        name: f"set_params({part}__{name}=...)"
        for part, kind in (("vectorizer", CountVectorizer), ("lda", TemperedLDA))
        for name in kind._get_param_names()
        if name not in OF_LDA
    },
    **{
        name: here if here in OF_LDA else f"set_params(lda__{here}=...)"
        for name, here in OTHER_NAMES.items()
    },
    "nr_topics": "n_components",
    "vectorizer_model": "vectorizer",
    "n_gram_range": "set_params(vectorizer__ngram_range=...)",
    "corpus": "fit(texts)",
    "id2word": "vectorizer",
    "min_cf": "set_params(vectorizer__min_df=...), a number of documents",
    "rm_top": "set_params(vectorizer__max_df=...), a share of the documents",
    "minimum_probability": "transform(texts), with the proportions of all topics",
    "per_word_topics": "word_topics(texts)",
    "prevalence": "topics_by_group(texts, groups), after the fit",
    "language": "set_params(vectorizer__stop_words=...)",
    "seed_topic_list": "seed_topics",
    "zeroshot_topic_list": "seed_topics, with words for each label",
    "representation_model": "set_labels(function, texts=texts)",
    "top_n_words": "lda_.top_words(n)",
    "calculate_probabilities": "transform(texts)",
}
#: Methods and attributes of `lda_` and of other libraries, with those of a `TopicModel`.
ATTRIBUTES = {
    **{name: f"lda_.{name}" for name in dir(TemperedLDA) if not name.startswith("_")},
    **{name: f"lda_.{here}" for name, here in OTHER_ATTRIBUTES.items()},
    **OF_BERTOPIC,
    **dict.fromkeys(("add_corpus", "add_doc", "train"), "fit(texts)"),
    **dict.fromkeys(("log_perplexity", "ll_per_word"), "score(texts)"),
    **dict.fromkeys(
        (
            "approximate_distribution",
            "docs",
            "get_document_topics",
            "infer",
            "inference",
            "make_doc",
            "probabilities_",
        ),
        "transform(texts)",
    ),
    **dict.fromkeys(
        ("get_topics", "get_topic_info", "print_topics", "show_topics", "summary"), "topics_"
    ),
    **dict.fromkeys(
        ("get_topic", "get_topic_words", "print_topic", "show_topic"), "topics_.words[k]"
    ),
    **dict.fromkeys(("id2word", "used_vocabs"), "feature_names_"),
    **dict.fromkeys(("get_topic_freq", "topic_sizes_"), "topics_.documents"),
    **dict.fromkeys(
        (
            "visualize_document_datamap",
            "visualize_documents",
            "visualize_hierarchical_documents",
            "visualize_topics",
        ),
        "report(texts, path=...)",
    ),
    **dict.fromkeys(("get_representative_docs", "representative_docs_"), "top_documents(texts)"),
    "c_tf_idf_": "lda_.components_",
    "custom_labels_": "labels_",
    "reduce_outliers": "documents(texts).topic, which is -1 only without a known word",
    "topic_representations_": "topics_.words",
    "visualize_approximate_distribution": "word_topics(texts)",
    "visualize_distribution": "documents(texts).shares",
    "diff": "topictemper.metrics.match_topics(model, other)",
    "find_topics": "transform([query])",
    "get_document_info": "documents(texts)",
    "load": "topictemper.load(path)",
    "partial_fit": "update(texts)",
    "set_callbacks": "lda=TemperedLDA(...).set_callbacks(...)",
    "set_word_prior": "seed_topics",
    "top_topics": "topics_.coherence",
    "topics_per_class": "topics_by_group(texts, groups)",
    "visualize_topics_over_time": f"{SHARES_PLOT}(model.topics_over_time(texts, dates)).plot()",
    "visualize_topics_per_class": f"{SHARES_PLOT}(model.topics_by_group(texts, groups)).plot()",
}
