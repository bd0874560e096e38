from tests.running.soak import soak


def test_twenty_kills_lose_and_repeat_nothing(tmp_path):
    assert sum(soak(20, seed=1, base=tmp_path).values()) >= 15
