"""From values to what Grafana reads, with Grafana's own builders: the same text every time.

Sources: grafana-foundation-sdk of Grafana 11.6 (dashboard schema 41, which later ones read); Grafana documentation,
dashboard JSON model, Prometheus variables and query options. Read 2026-11-21.
"""

import string
from collections.abc import Callable

from grafana_foundation_sdk.builders import bargauge, common, prometheus, stat, table, timeseries
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common as look
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from ...config import StackConfig
from .panels import Dashboard, Kind, Panel, Place, Query, Row, Steps, Variable, placed

TAG = "gpu-blueprint"
NO_TENANT = "none"
"""What the recorded series call namespaces that belong to nobody."""
SOURCE = models.DataSourceRef(type_val="prometheus", uid="${datasource}")

Builder = bargauge.Panel | stat.Panel | table.Panel | timeseries.Panel
OVER_TIME: tuple[Kind, ...] = ("lines", "areas", "bars")


def dashboard_json(stack: StackConfig, dashboard: Dashboard) -> str:
    """The dashboard of a stack as JSON."""
    built = (
        builders.Dashboard(dashboard.title)
        .uid(dashboard.uid)
        .description(dashboard.about)
        .tags([TAG])
        # Who changes it in the browser would lose it: it is made of code.
        .readonly()
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .time("now-24h", "now")
        .refresh("1m")
        .link(_to_the_others())
        .with_variable(builders.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
    )
    for variable in dashboard.variables:
        built.with_variable(_asked(variable) if variable.query else _listed(variable, options(stack, variable)))
    for number, (thing, place) in enumerate(placed(dashboard), 1):
        if isinstance(thing, Row):
            built.with_row(builders.Row(thing.title).id(number).grid_pos(_grid(place)))
        else:
            built.with_panel(_panel(thing).id(number).grid_pos(_grid(place)))
    return JSONEncoder(sort_keys=True, indent=1, ensure_ascii=False).encode(built.build()) + "\n"


def options(stack: StackConfig, variable: Variable) -> list[str]:
    """What a variable of pools or tenants offers; tenants end with those that are none."""
    if variable.name == "pool":
        return [pool.name for pool in stack.pools]
    return [*(tenant.name for tenant in stack.tenants), NO_TENANT]


def _listed(variable: Variable, values: list[str]) -> builders.CustomVariable:
    first = models.VariableOption(True, values[:1], values[:1]) if variable.starts_with_one else _all()
    made = builders.CustomVariable(variable.name).label(variable.name).values(",".join(values)).current(first)
    # All means what was removed from the stack file, too: its history stays.
    return made.multi(True).include_all(True).all_value(".+")


def _asked(variable: Variable) -> builders.QueryVariable:
    made = builders.QueryVariable(variable.name).label(variable.name).query(variable.query).datasource(SOURCE)
    made.refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED).sort(models.VariableSort.NATURAL_ASC)
    return made.multi(True).include_all(True).current(_all())


def _all() -> models.VariableOption:
    return models.VariableOption(True, ["All"], ["$__all"])


def _to_the_others() -> builders.DashboardLink:
    link = builders.DashboardLink("GPU dashboards").type(models.DashboardLinkType.DASHBOARDS).tags([TAG])
    return link.as_dropdown(True).include_vars(True).keep_time(True)


def _grid(place: Place) -> models.GridPos:
    return models.GridPos(x=place.x, y=place.y, w=place.width, h=place.height)


def _panel(panel: Panel) -> Builder:
    made = _LOOKS[panel.kind](panel)
    made.title(panel.title).description(panel.about).unit(panel.unit).datasource(SOURCE)
    made.thresholds(_thresholds(panel.steps, plain=not panel.steps))
    if panel.most is not None:
        made.min(0).max(panel.most)
    if panel.nothing:
        made.no_value(panel.nothing)
    for name, query in zip(string.ascii_uppercase, panel.queries, strict=False):
        made.with_target(_target(panel, name, query))
    return made


def _target(panel: Panel, name: str, query: Query) -> prometheus.Dataquery:
    made = prometheus.Dataquery().ref_id(name).expr(query.expr).datasource(SOURCE)
    if panel.kind == "table":
        return made.instant().format(PromQueryFormat.TABLE)
    # One sample for each hour, so that bars do not count the same twice.
    made = made.interval("1h") if panel.kind == "bars" else made
    made = made.legend_format(query.legend) if query.legend else made
    return made.range() if panel.kind in OVER_TIME else made.instant()


def _number(panel: Panel) -> stat.Panel:
    made = stat.Panel().graph_mode(look.BigValueGraphMode.NONE).color_mode(look.BigValueColorMode.VALUE)
    made.color_scheme(_by_threshold()).reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
    for name, query in zip(string.ascii_uppercase, panel.queries, strict=False):
        if own := _own(query):
            made.override_by_query(name, own)
    return made


def _lines(panel: Panel) -> timeseries.Panel:
    few = not any("{{" in query.legend for query in panel.queries)
    legend = common.VizLegendOptions().show_legend(True).placement(look.LegendPlacement.BOTTOM)
    legend.display_mode(look.LegendDisplayMode.LIST if few else look.LegendDisplayMode.TABLE)
    legend.calcs([] if few else ["lastNotNull", "max"])
    tooltip = common.VizTooltipOptions().mode(look.TooltipDisplayMode.MULTI).sort(look.SortOrder.DESCENDING)
    colors = builders.FieldColor().mode(models.FieldColorModeId.PALETTE_CLASSIC_BY_NAME)
    made = timeseries.Panel().legend(legend).tooltip(tooltip).color_scheme(colors).axis_soft_min(0)
    for name, query in zip(string.ascii_uppercase, panel.queries, strict=False):
        if query.color:
            fixed = {"mode": "fixed", "fixedColor": query.color}
            made.override_by_query(name, [models.DynamicConfigValue("color", fixed)])
    return made.show_points(look.VisibilityMode.NEVER).line_width(1).fill_opacity(5)


def _areas(panel: Panel) -> timeseries.Panel:
    return _lines(panel).stacking(_stacked()).fill_opacity(40)


def _bars(panel: Panel) -> timeseries.Panel:
    made = _lines(panel).stacking(_stacked()).draw_style(look.GraphDrawStyle.BARS).fill_opacity(80).decimals(0)
    # With fewer, Grafana would leave out hours of a month: each query looks back over one.
    return made.max_data_points(2000)


def _stacked() -> common.StackingConfig:
    return common.StackingConfig().mode(look.StackingMode.NORMAL).group("A")


def _ranking(panel: Panel) -> bargauge.Panel:  # noqa: ARG001
    made = bargauge.Panel().orientation(look.VizOrientation.HORIZONTAL).display_mode(look.BarGaugeDisplayMode.GRADIENT)
    made.color_scheme(_by_threshold()).min(0)
    return made.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))


def _table(panel: Panel) -> table.Panel:
    """Queries become columns beside the labels that they share; the first of them says the order."""
    names = {f"Value #{name}": query.legend for name, query in zip(string.ascii_uppercase, panel.queries, strict=False)}
    tidy = {"excludeByName": {"Time": True}, "renameByName": {"Value": panel.queries[0].legend, **names}}
    made = table.Panel().color_scheme(_by_threshold())
    made.with_transformation(models.DataTransformerConfig(id_val="merge", options={}))
    made.with_transformation(models.DataTransformerConfig(id_val="organize", options=tidy))
    made.sort_by([common.TableSortByFieldState().display_name(panel.queries[0].legend).desc(True)])
    for query in panel.queries:
        own = _own(query)
        if query.steps:
            own.append(models.DynamicConfigValue("custom.cellOptions", {"type": "color-text"}))
        if own:
            made.override_by_name(query.legend, own)
    return made


def _own(query: Query) -> list[models.DynamicConfigValue]:
    """What a query says of itself."""
    own = [models.DynamicConfigValue("unit", query.unit)] if query.unit else []
    if query.steps:
        own.append(models.DynamicConfigValue("thresholds", _thresholds(query.steps).build()))
    return own


def _by_threshold() -> builders.FieldColor:
    return builders.FieldColor().mode(models.FieldColorModeId.THRESHOLDS)


def _thresholds(steps: Steps, *, plain: bool = False) -> builders.ThresholdsConfig:
    first = models.Threshold(None, "text" if plain else "green")
    rising = [models.Threshold(value, color) for value, color in steps]
    return builders.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps([first, *rising])


_LOOKS: dict[Kind, Callable[[Panel], Builder]] = {
    "number": _number,
    "lines": _lines,
    "areas": _areas,
    "bars": _bars,
    "ranking": _ranking,
    "table": _table,
}
