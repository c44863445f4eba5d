import type { Finding } from './finding.ts';

/** Something that was not examined, and why. */
interface NotExamined {
  readonly what: string;
  readonly why: string;
}

/** What an examination came to. */
export interface Report {
  readonly findings: readonly Finding[];
  /** Checks that were not made: what they need was not given, or is unreachable. */
  readonly notChecked: readonly NotExamined[];
  /** Checks that failed themselves. */
  readonly failed: readonly NotExamined[];
}

/** Collects a report, check by check. */
export interface ReportWriter {
  readonly report: Report;
  /** Makes a check; an error is reported, and does not stop the others. */
  readonly run: (what: string, check: () => Promise<readonly Finding[]>) => Promise<void>;
  readonly add: (...findings: readonly Finding[]) => void;
  readonly skip: (what: string, why: string) => void;
}

/** Opens an empty report. */
export function openReport(): ReportWriter {
  const findings: Finding[] = [];
  const notChecked: NotExamined[] = [];
  const failed: NotExamined[] = [];
  return {
    report: { findings, notChecked, failed },
    async run(what, check) {
      try {
        findings.push(...(await check()));
      } catch (err) {
        failed.push({ what, why: messageOf(err) });
      }
    },
    add: (...found) => void findings.push(...found),
    skip: (what, why) => void notChecked.push({ what, why }),
  };
}

/** The message of an error, or of the first of several. */
export function messageOf(err: unknown): string {
  if (err instanceof AggregateError) return messageOf(err.errors[0]);
  return err instanceof Error ? err.message : String(err);
}
