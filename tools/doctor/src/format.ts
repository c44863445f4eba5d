import type { Report } from './report.ts';

/** Returns a report for people. */
export function formatReport({ findings, notChecked, failed }: Report): string {
  const lines = [
    ...findings.flatMap(({ check, subject, problem, action }) => [
      `✗ ${check} ${subject}`,
      `  ${problem}`,
      `  → ${action}`,
    ]),
    ...failed.map(({ what, why }) => `! ${what} could not be examined: ${why}`),
    ...notChecked.map(({ what, why }) => `- not examined: ${what} (${why})`),
  ];
  const sum =
    findings.length === 0 ? 'nothing is wrong' : `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`;
  return [...lines, failed.length > 0 ? `${sum} in what could be examined` : sum].join('\n');
}

/** Returns the exit code for a report: 0 nothing is wrong, 1 there are findings, 2 something could not be examined. */
export function exitCodeOf({ findings, failed }: Report): 0 | 1 | 2 {
  if (failed.length > 0) return 2;
  return findings.length > 0 ? 1 : 0;
}
