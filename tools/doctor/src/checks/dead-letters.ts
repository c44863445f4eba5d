import { nameSome, type Finding } from '../finding.ts';

/** The dead letters of a service by consumer. */
export interface DeadLetterReading {
  readonly service: string;
  readonly consumer: string;
  readonly count: number;
}

/** Finds services with dead letters. */
export function checkDeadLetters(readings: readonly DeadLetterReading[]): Finding[] {
  return [...Map.groupBy(readings, ({ service }) => service)].map(([subject, ofService]) => {
    const count = ofService.reduce((sum, reading) => sum + reading.count, 0);
    return {
      check: 'dead-letters',
      subject,
      problem: `${subject} has ${count} dead letters, of ${nameSome(ofService.map(({ consumer }) => consumer))}.`,
      action: `npm run dead-letters -- list --service ${subject}; fix the cause, then retry or drop them.`,
    };
  });
}
