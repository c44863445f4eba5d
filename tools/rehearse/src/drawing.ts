import { coursesOf, type Bill, type Change, type Course } from './course.rules.ts';
import { escapeXml } from './escape-xml.ts';
import type { Names } from './happenings.rules.ts';
import { hasFailed, stepText, type Entry } from './timeline.rules.ts';

const WIDTH = 960;
const LEFT = 112;
const RIGHT = 24;
const ROW = 30;
/** The mean width of a character, in pixels. */
const CHARACTER = 6.2;
const MAX_TICKS = 13;

const GREEN = '#1a7f4b';
const AMBER = '#b26a00';
const RED = '#c62828';
const GRAY = '#6b7280';

/** The first that a text contains. */
const COLORS: readonly (readonly [string, string])[] = [
  ['past_due', AMBER],
  ['unpaid', RED],
  ['open', RED],
  ['canceled', GRAY],
  ['void', GRAY],
  ['none', GRAY],
  ['uncollectible', GRAY],
  ['trialing', '#3156b8'],
];
const colorOf = (text: string): string => COLORS.find(([part]) => text.includes(part))?.[1] ?? GREEN;

interface Played {
  readonly name: string;
  /** The time of the clock at the beginning. */
  readonly start: string;
  readonly entries: readonly Entry[];
  readonly names: Names;
}

type Scale = (time: number) => number;

/** Draws a timeline as SVG: the steps, and of each customer the subscription, the invoices and the entitlements. */
export function drawing({ name, start, entries, names }: Played): string {
  const [first, last] = [Date.parse(start), Math.max(Date.parse(entries.at(-1)?.at ?? start), Date.parse(start) + 1)];
  const x: Scale = time => LEFT + ((time - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
  const steps = stepRows(entries, x);
  const parts = [text(16, 28, name, 'font-size="15" font-weight="600"'), ...steps.parts];
  let y = 58 + steps.height;
  parts.push(...ticks(first, last, x, y));
  y += 20;
  for (const course of coursesOf(entries, names, start)) {
    const rows = rowsOf(course, last, x);
    parts.push(text(16, y + 14, course.name, 'font-weight="600"'));
    y += 22;
    for (const row of rows) {
      parts.push(text(16, y + 15, row.title, `fill="${GRAY}"`), ...row.draw(y));
      y += ROW;
    }
    y += 10;
  }
  const box = `width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box} role="img" font-family="system-ui, sans-serif" font-size="12" fill="#1f2937">
<title>${escapeXml(name)}</title>
<rect width="100%" height="100%" rx="8" fill="#ffffff" stroke="#d1d5db"/>
${parts.join('\n')}
</svg>
`;
}

/** Marks of what was expected, and below them what was done, each where there is room. */
function stepRows(entries: readonly Entry[], x: Scale) {
  const ends: number[] = [];
  const parts = entries.flatMap(entry => {
    const at = x(Date.parse(entry.at));
    if (entry.step.do === 'expect') {
      const [mark, color] = hasFailed(entry) ? ['✗', RED] : ['✓', GREEN];
      return [text(at, 50, mark, `fill="${color}" font-weight="700" text-anchor="middle"`)];
    }
    if (entry.step.do === 'advance') return [];
    const words = stepText(entry.step);
    const width = words.length * CHARACTER;
    const begin = Math.min(at, WIDTH - RIGHT - width);
    const free = ends.findIndex(end => end < begin);
    const row = free === -1 ? ends.length : free;
    ends[row] = begin + width + 12;
    return [
      `<line x1="${round(at)}" x2="${round(at)}" y1="54" y2="${60 + row * 16}" stroke="#9ca3af"/>`,
      text(begin + 3, 66 + row * 16, words, 'font-size="11"'),
    ];
  });
  return { parts, height: 10 + ends.length * 16 };
}

function ticks(first: number, last: number, x: Scale, y: number): readonly string[] {
  const months: Date[] = [];
  const start = new Date(first);
  for (let month = 1; ; month += 1) {
    const time = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + month));
    if (time.getTime() > last) break;
    months.push(time);
  }
  const every = Math.ceil(months.length / MAX_TICKS);
  const shown = months.filter((_, index) => index % every === 0);
  return [
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}" stroke="#d1d5db"/>`,
    ...shown.flatMap(time => {
      const at = x(time.getTime());
      const label = time.toISOString().slice(0, 7);
      return [
        `<line x1="${round(at)}" x2="${round(at)}" y1="${y}" y2="${y + 4}" stroke="#9ca3af"/>`,
        text(at, y + 16, label, `font-size="10" fill="${GRAY}" text-anchor="middle"`),
      ];
    }),
  ];
}

interface Row {
  readonly title: string;
  readonly draw: (y: number) => readonly string[];
}

const rowsOf = ({ subscription, invoices, entitlements }: Course, last: number, x: Scale): readonly Row[] => [
  { title: 'subscription', draw: y => bars(subscription, last, x, y) },
  { title: 'invoices', draw: y => dots(invoices, x, y) },
  ...[...entitlements].map(([title, changes]) => ({ title, draw: (y: number) => bars(changes, last, x, y) })),
];

function bars(changes: readonly Change[], last: number, x: Scale, y: number): readonly string[] {
  return changes.flatMap(({ from, text: label }, index) => {
    const [begin, end] = [x(from), x(changes[index + 1]?.from ?? last)];
    const color = colorOf(label);
    const shown = label.length * CHARACTER > end - begin - 8 ? '' : label;
    const box = `x="${round(begin)}" y="${y}" width="${round(Math.max(end - begin - 1, 2))}" height="20"`;
    return [
      `<rect ${box} rx="3" fill="${color}" fill-opacity="0.16"/>`,
      ...(shown === '' ? [] : [text(begin + 5, y + 14, shown, `font-size="11" fill="${color}"`)]),
    ];
  });
}

/** The amount stands where it is another one than before; a ring is around what was not paid at once. */
const dots = (invoices: readonly Bill[], x: Scale, y: number): readonly string[] =>
  invoices
    .toSorted((one, other) => one.at - other.at)
    .flatMap(({ at, money, status, isLate }, index, all) => [
      ...(isLate ? [`<circle cx="${round(x(at))}" cy="${y + 6}" r="7" fill="none" stroke="${RED}"/>`] : []),
      `<circle cx="${round(x(at))}" cy="${y + 6}" r="4" fill="${colorOf(status)}"/>`,
      ...(all[index - 1]?.money === money
        ? []
        : [text(Math.max(x(at), LEFT + 14), y + 22, money, 'font-size="10" text-anchor="middle"')]),
    ]);

const round = (value: number): string => value.toFixed(1);
const text = (x: number, y: number, words: string, attributes = ''): string =>
  `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escapeXml(words)}</text>`;
