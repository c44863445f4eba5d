import type { Page, Panel } from './dashboard-pages.ts';

const COLUMNS = 24;
const HEIGHT = 8;
/** The data source that `deploy/grafana/provisioning` makes. */
const DATASOURCE = { type: 'prometheus', uid: 'prometheus' };

/** Returns a page as Grafana stores dashboards. https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/ */
export function dashboardJson({ id, title, panels }: Page): string {
  const placed = place(panels).map(({ panel, gridPos }, index) => ({
    id: index + 1,
    type: panel.kind,
    title: panel.title,
    description: panel.description,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
    targets: Object.entries(panel.queries).map(([legendFormat, expr], query) => ({
      refId: 'ABCDEFGH'.charAt(query),
      expr,
      legendFormat,
    })),
  }));
  const dashboard = {
    uid: `billing-${id}`,
    title: `Billing: ${title}`,
    tags: ['billing'],
    schemaVersion: 39,
    version: 1,
    timezone: 'utc',
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    panels: placed,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

/** Four numbers or two charts in a row. */
function place(panels: readonly Panel[]) {
  let [x, y, rowHeight] = [0, 0, 0];
  return panels.map(panel => {
    const w = panel.kind === 'stat' ? COLUMNS / 4 : COLUMNS / 2;
    const h = panel.kind === 'stat' ? HEIGHT / 2 : HEIGHT;
    if (x + w > COLUMNS) [x, y] = [0, y + rowHeight];
    rowHeight = h;
    const gridPos = { x, y, w, h };
    x += w;
    return { panel, gridPos };
  });
}
