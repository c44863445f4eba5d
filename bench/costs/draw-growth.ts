// Prints a table of what a system needs as it grows, and draws docs/images/growth.svg: `node bench/costs/draw-growth.ts`.
import { writeFile } from 'node:fs/promises';
import { needsOf, type Needs } from './growth.ts';

const BASE = { teams: 100, eventsPerSecond: 50, requestsPerSecond: 20 };
const STEPS = 24;
const [WIDTH, HEIGHT, MARGIN] = [720, 360, 56];
/** Powers of ten of the vertical axis. */
const [LOWEST, HIGHEST] = [-1, 3];

const grownBy = (factor: number): Needs =>
  needsOf({
    teams: Math.round(BASE.teams * factor),
    eventsPerSecond: BASE.eventsPerSecond * factor,
    requestsPerSecond: BASE.requestsPerSecond * factor,
  });

const LINES = [
  { name: 'processor cores', color: '#2563eb', of: (needs: Needs) => needs.cores },
  { name: 'processes of services', color: '#16a34a', of: (needs: Needs) => needs.serviceProcesses },
  { name: 'streams', color: '#d97706', of: (needs: Needs) => needs.streams },
  { name: 'PostgreSQL servers', color: '#dc2626', of: (needs: Needs) => needs.postgresServers },
] as const;

const x = (factor: number) => MARGIN + (Math.log10(factor) / 3) * (WIDTH - 2 * MARGIN);
const y = (value: number) =>
  HEIGHT - MARGIN - ((Math.log10(value) - LOWEST) / (HIGHEST - LOWEST)) * (HEIGHT - 2 * MARGIN);

const factors = Array.from({ length: STEPS + 1 }, (_, step) => 10 ** ((3 * step) / STEPS));
const lines = LINES.map(({ name, color, of }, index) => {
  const points = factors.map(factor => `${x(factor).toFixed(1)},${y(of(grownBy(factor))).toFixed(1)}`).join(' ');
  const legend = `<text x="${MARGIN + 8}" y="${MARGIN + 16 * index}" fill="${color}">${name}</text>`;
  return `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="2"/>${legend}`;
});
const columns = [1, 10, 100, 1_000].map(factor => {
  const { teams, eventsPerSecond } = grownBy(factor);
  const label = `${teams.toLocaleString('en')} teams, ${eventsPerSecond.toLocaleString('en')}/s`;
  return `<line x1="${x(factor)}" x2="${x(factor)}" y1="${MARGIN}" y2="${HEIGHT - MARGIN}" stroke="#ccc"/><text x="${x(factor)}" y="${HEIGHT - MARGIN + 18}" text-anchor="middle">${label}</text>`;
});
const rows = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, index) => 10 ** (LOWEST + index)).map(
  value =>
    `<line x1="${MARGIN}" x2="${WIDTH - MARGIN}" y1="${y(value)}" y2="${y(value)}" stroke="#eee"/><text x="${MARGIN - 6}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
);
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11" role="img" aria-label="What a system needs as it grows a thousandfold"><rect width="100%" height="100%" fill="#fff"/>${[...rows, ...columns, ...lines].join('')}</svg>\n`;
await writeFile(new URL('../../docs/images/growth.svg', import.meta.url), svg);

const table = [1, 10, 100, 1_000].map(factor => {
  const it = grownBy(factor);
  return [
    it.teams.toLocaleString('en'),
    it.eventsPerSecond.toLocaleString('en'),
    it.requestsPerSecond.toLocaleString('en'),
    it.cores.toFixed(1),
    `${it.serviceProcesses} (${it.memoryGb.toFixed(1)} GB)`,
    it.streams,
    `${it.postgresServers}${it.postgresLimit === '-' ? '' : ` (${it.postgresLimit})`}`,
    it.walMbPerSecond.toFixed(1),
    it.diskGbPerDay.toFixed(0),
  ].join(' | ');
});
console.log(table.map(row => `| ${row} |`).join('\n'));
