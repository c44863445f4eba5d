import { escapeXml } from './escape-xml.ts';
import { hasFailed, stepText, type Entry } from './timeline.rules.ts';

/** Returns a run as JUnit XML: a test case for each `expect`, and one for a step that could not be taken. */
export function junitXml(name: string, entries: readonly Entry[]): string {
  const cases = entries
    .map((entry, index) => ({ ...entry, number: index + 1 }))
    .filter(({ step, error }) => step.do === 'expect' || error !== null);
  const failures = cases.filter(({ differences }) => differences.length > 0).length;
  const errors = cases.filter(({ error }) => error !== null).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="${errors}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escapeXml(name)}" ${counts}>`,
    ...cases.map(one => {
      const title = `${one.number}. ${one.at.slice(0, 10)} ${stepText(one.step)}`;
      const head = `    <testcase classname="${escapeXml(name)}" name="${escapeXml(title)}"`;
      return hasFailed(one) ? `${head}>${outcomeOf(one)}</testcase>` : `${head}/>`;
    }),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function outcomeOf({ differences, error }: Entry): string {
  if (error !== null) return `<error message="${escapeXml(error)}"/>`;
  const lines = differences.map(({ path, expected, actual }) => `${path}: expected ${expected}, actual ${actual}`);
  return `<failure message="${escapeXml(lines[0] ?? '')}">${escapeXml(lines.join('\n'))}</failure>`;
}
