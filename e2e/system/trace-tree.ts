import type { Span } from './otlp-collector.ts';

/** A span by service and name: `webhooks: receive checkout.session.completed`. */
export const labelOf = ({ service, name }: Pick<Span, 'service' | 'name'>): string => `${service}: ${name}`;

/** The spans of one trace. */
export interface TraceTree {
  readonly spans: readonly Span[];
  /** Returns the spans with these labels of which each stands somewhere below the one before; undefined when there are none. */
  readonly path: (...labels: readonly string[]) => readonly Span[] | undefined;
  readonly parentOf: (span: Span) => Span | undefined;
}

/** Puts the spans of each trace together. */
export function traceTrees(spans: readonly Span[]): TraceTree[] {
  return [...Map.groupBy(spans, ({ traceId }) => traceId).values()].map(openTree);
}

function openTree(spans: readonly Span[]): TraceTree {
  const byId = new Map(spans.map(span => [span.spanId, span]));
  const parentOf = (span: Span) => byId.get(span.parentSpanId);
  const isBelow = (span: Span, above: Span): boolean => {
    for (let parent = parentOf(span); parent; parent = parentOf(parent)) if (parent === above) return true;
    return false;
  };
  const pathFrom = (above: Span | undefined, [label, ...rest]: readonly string[]): Span[] | undefined => {
    if (label === undefined) return [];
    for (const span of spans) {
      if (labelOf(span) !== label || (above && !isBelow(span, above))) continue;
      const below = pathFrom(span, rest);
      if (below) return [span, ...below];
    }
    return undefined;
  };
  return { spans, parentOf, path: (...labels) => pathFrom(undefined, labels) };
}

/** Returns a trace as text, a line a span, indented below its parent; spans whose name `isHidden` are left out. */
export function drawTree({ spans, parentOf }: TraceTree, isHidden: (span: Span) => boolean = () => false): string {
  const draw = (span: Span, depth: number): string[] => {
    const below = spans.filter(child => parentOf(child) === span);
    if (isHidden(span)) return below.flatMap(child => draw(child, depth));
    const linked = span.links.length > 0 ? `  (linked to ${span.links.length})` : '';
    return [`${'  '.repeat(depth)}${labelOf(span)}${linked}`, ...below.flatMap(child => draw(child, depth + 1))];
  };
  return spans
    .filter(span => !parentOf(span))
    .flatMap(root => draw(root, 0))
    .join('\n');
}
