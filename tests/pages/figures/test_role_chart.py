from attention_book.pages.figures.plotting import ROLES
from attention_book.pages.figures.role_chart import named_roles, role_figure, roles_told


def test_each_role_has_a_line_of_its_own_with_its_name_beside_it():
    (axes,) = role_figure().axes
    names = named_roles()
    assert len(axes.lines) == len(names) == len(ROLES) and axes.get_legend() is None
    beside = {text.get_text(): height for text, height in zip(axes.get_yticklabels(), axes.get_yticks(), strict=True)}
    for line in axes.lines:
        role = ROLES[names[line.get_label()]]
        assert (line.get_color(), line.get_marker()) == (role.light, role.marker)
        assert isinstance(role.line, tuple) or line.get_linestyle() == role.line
        assert set(line.get_ydata()) == {beside[line.get_label()]}
    assert axes.get_xticks().size == 0


def test_no_two_roles_are_told_alike():
    told = [role.split(": ")[1] for role in roles_told().split("; ")]
    assert len(set(told)) == len(ROLES) and told[0] == "solid, with circles"
