import { SpanKind } from '@opentelemetry/api';
import { addSpan } from '@billing/tracing/span';
import type { EndedQuery } from './slow-queries.ts';
import { sqlState } from './sql-state.ts';
import { summaryOf } from './statement-summary.ts';

/**
 * Adds a statement to the current trace, by its verb and its first table: its text may have values, such as customers'
 * data. https://opentelemetry.io/docs/specs/semconv/database/postgresql/
 */
export const addStatementSpan = ({ sql, startedAt, error }: EndedQuery): void =>
  addSpan(startedAt, () => {
    const summary = summaryOf(sql);
    return {
      name: summary,
      kind: SpanKind.CLIENT,
      attributes: { 'db.system.name': 'postgresql', 'db.query.summary': summary },
      errorType: error === undefined ? undefined : (sqlState(error) ?? 'unknown'),
    };
  });
