import pytest

from odyssey_recorder.simulator.apps.calculator import DIVIDED, MINUS, TIMES, NotASumError, result_of


def typed(sum_: str) -> str:
    return sum_.replace("*", TIMES).replace("/", DIVIDED).replace("-", MINUS)


@pytest.mark.parametrize(
    ("sum_", "result"),
    [
        ("1+2*3", "7"),
        ("(1+2)*3", "9"),
        ("10/4", "2.5"),
        ("0.1+0.2", "0.3"),
        ("50%*80", "40"),
        ("2(3)", "6"),
        ("(2+3", "5"),
        ("5--2", "7"),
        ("-5+2", "-3"),
        ("5-5", "0"),
        ("1/3", "0.333333333333333"),
        ("100000000*100000000", "1E+16"),
        ("1/30000000000000000", "3.33333333333333E-17"),
    ],
)
def test_a_sum_has_its_value(sum_: str, result: str) -> None:
    assert result_of(typed(sum_)) == typed(result)


@pytest.mark.parametrize("sum_", ["3+", "*3", "1.5.2", "()", "2)", "."])
def test_what_is_no_sum_is_refused(sum_: str) -> None:
    with pytest.raises(NotASumError, match="Format error"):
        result_of(typed(sum_))


@pytest.mark.parametrize("sum_", ["7/0", "0/0", "1/(2-2)"])
def test_nothing_is_divided_by_nought(sum_: str) -> None:
    with pytest.raises(NotASumError, match="divide by 0"):
        result_of(typed(sum_))
