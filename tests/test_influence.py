"""Influence: what numbers would be without each annotator."""

import numpy as np
import pytest

import vesica
from vesica import AgreementPolicy, Dataset, InputError

POLICY = AgreementPolicy(replicates=50)
NAMES = ("agreement", "alpha", "alpha_labels")


def crowd(seed=0, people=4, images=12):
    """Some objects in each image; everybody misses some, moves all a little, and gives some another label. Some were
    not asked for some images."""
    rng = np.random.default_rng(seed)
    rows, assigned = [], []
    for image in range(images):
        places = rng.integers(0, 60, (4, 2))
        for who in range(people):
            if rng.random() < 0.15:
                continue
            assigned.append((image, who))
            for k, (x, y) in enumerate(places):
                if rng.random() < 0.8:
                    dx, dy = rng.normal(0, 1 + who, 2)
                    rows.append(
                        (x + dx, y + dy, x + dx + 12, y + dy + 12, image, who, int((k + (rng.random() < 0.2)) % 3))
                    )
    table = np.array(rows)
    return Dataset.from_arrays(
        table[:, :4], image=table[:, 4].astype(int), annotator=table[:, 5].astype(int),
        category=table[:, 6].astype(int), assignments=assigned, sizes=(100, 100),
    )  # fmt: skip


def without(data, who):
    """The data set as if one annotator had never been asked."""
    rows, asked = data.annotator != who, data.assignments.annotator != who
    told = {
        "image": data.images.ids[data.assignments.image[asked]],
        "annotator": data.annotators[data.assignments.annotator[asked]],
    }
    kept = data.rows(rows)
    return Dataset.from_arrays(
        vesica.Boxes(kept.xywh, "xywh"), image=data.images.ids[kept.image], category=data.categories.ids[kept.category],
        annotator=data.annotators[kept.annotator], assignments=told, images=data.images, categories=data.categories,
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_clustered_anew_equals_a_run_without_them(name, seed):
    data = crowd(seed)
    result = vesica.evaluate_agreement(data, policy=POLICY)
    table = result.influence(name, recluster=True, intervals=False)
    want = [vesica.evaluate_agreement(without(data, who), policy=POLICY)[name] for who in range(4)]
    assert table["without"].tolist() == pytest.approx(want, abs=1e-12)
    assert table["influence"].tolist() == pytest.approx([result[name] - one for one in want], abs=1e-12)


def test_ratings_leave_the_clusters():
    """Ann and ben do not match without cleo, who lies between them: their two objects stay one cluster."""
    boxes = {"ann": [0, 0, 10, 10], "cleo": [3, 0, 13, 10], "ben": [6, 0, 16, 10]}
    sides = {
        who: Dataset.from_arrays([box, [50, 50, 60, 60]], image=[1, 1], category=[1, 2]) for who, box in boxes.items()
    }
    result = vesica.evaluate_agreement(sides, policy=AgreementPolicy(match_at=0.3, contact=0.1, replicates=20))
    who = result.records.annotators.tolist().index("cleo")
    kept = result.influence("alpha", intervals=False)["without"][who]
    anew = result.influence("alpha", recluster=True, intervals=False)["without"][who]
    assert kept == 1.0  # two clusters, on which ann and ben agree
    assert anew < 0.5  # three, of which two have one vote


@pytest.mark.parametrize("name", NAMES)
def test_intervals(name):
    result = vesica.evaluate_agreement(crowd(), policy=POLICY)
    table = result.influence(name)
    assert (table["lo"] <= table["influence"]).all() and (table["influence"] <= table["hi"]).all()
    assert table["all"].tolist() == [result[name]] * 4


def test_agreement_is_that_of_the_table_of_annotators():
    result = vesica.evaluate_agreement(crowd(), policy=POLICY)
    one, other = result.influence(), result.annotators()
    assert one["influence"] == pytest.approx(other["influence"], abs=1e-12)
    for mine, theirs in (("lo", "influence_lo"), ("hi", "influence_hi")):
        assert one[mine] == pytest.approx(other[theirs], abs=1e-9)


def test_two_annotators():
    """Without one of two there is nothing to agree about."""
    table = vesica.evaluate_agreement([[0, 0, 4, 4]], [[0, 0, 4, 3]]).influence("alpha")
    assert np.isnan(table["without"]).all() and np.isnan(table["influence"]).all() and np.isnan(table["lo"]).all()


def test_bad():
    result = vesica.evaluate_agreement(crowd(), policy=POLICY)
    with pytest.raises(ValueError, match="`of` must be one of"):
        result.influence("f1")
    with pytest.raises(TypeError, match="`recluster` must be True or False"):
        result.influence("alpha", recluster="yes")
    read = type(result).from_bytes(result.to_bytes())
    assert read.influence("alpha", intervals=False)["without"].tolist() == (
        result.influence("alpha", intervals=False)["without"].tolist()
    )
    with pytest.raises(InputError, match="needs the regions"):
        read.influence("alpha", recluster=True)
