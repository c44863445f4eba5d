import { ProjectId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { decideRoute, type RouteLookup } from './route.rules.ts';
import type { RouteHints } from './route-hints.rules.ts';

const [a, b, foreign] = [ProjectId.create(), ProjectId.create(), ProjectId.create()];
const customer = { kind: 'customer', id: 'cus_1' } as const;
const subscription = { kind: 'subscription', id: 'sub_1' } as const;
const hints = (changes: Partial<RouteHints> = {}): RouteHints => ({
  named: [],
  references: [subscription, customer],
  customerId: 'cus_1',
  payment: null,
  fansOut: false,
  ...changes,
});
/** Knows a and b for the team's own, and what is said. */
const knowing = (changes: Partial<RouteLookup> & { holders?: Record<string, ProjectId[]> } = {}): RouteLookup => ({
  isOwn: project => project !== foreign,
  projectsOf: ({ id }) => changes.holders?.[id] ?? [],
  customerNames: undefined,
  ...changes,
});
const routed = (routedBy: string, ...projects: ProjectId[]) => ({
  kind: 'route',
  route: { routedBy, projects, leftOut: 0 },
});

it('prefers metadata to known ids, and those to the customer’s metadata', () => {
  const all = knowing({ holders: { sub_1: [b] }, customerNames: a });
  expect(decideRoute(hints({ named: [a] }), all)).toEqual(routed('object-metadata', a));
  expect(decideRoute(hints(), all)).toEqual(routed('known-id', b));
  expect(decideRoute(hints(), knowing({ customerNames: a }))).toEqual(routed('customer-metadata', a));
});

it('prefers the subscription to its customer', () => {
  expect(decideRoute(hints(), knowing({ holders: { sub_1: [b], cus_1: [a] } }))).toEqual(routed('known-id', b));
});

it('passes over a foreign project wherever it is named', () => {
  expect(decideRoute(hints({ named: [foreign, a] }), knowing())).toEqual(routed('object-metadata', a));
});

it('takes for foreign what names no project of the team, but one of others or none', () => {
  expect(decideRoute(hints(), knowing({ customerNames: null }))).toEqual({ kind: 'foreign' });
  expect(decideRoute(hints(), knowing({ customerNames: foreign }))).toEqual({ kind: 'foreign' });
  expect(decideRoute(hints({ named: [foreign] }), knowing({ customerNames: null }))).toEqual({ kind: 'foreign' });
});

it('looks up what it needs, and nothing else', () => {
  const unsure = { isOwn: () => undefined };
  expect(decideRoute(hints({ named: [a] }), knowing(unsure))).toEqual({ kind: 'needs-project', projectId: a });
  expect(decideRoute(hints(), knowing(unsure))).toEqual({
    kind: 'needs-customer',
    customerId: 'cus_1',
    isShared: false,
  });
  expect(decideRoute(hints(), knowing({ ...unsure, customerNames: b }))).toEqual({
    kind: 'needs-project',
    projectId: b,
  });
  expect(decideRoute(hints({ customerId: null }), knowing())).toEqual({ kind: 'foreign' });
});

it('sends a customer’s own events to all who hold the customer, the named project first, each once', () => {
  const own = { fansOut: true, references: [customer] };
  const shared = knowing({ holders: { cus_1: [a, b] } });
  expect(decideRoute(hints({ ...own, named: [b] }), shared)).toEqual(routed('object-metadata', b, a));
  expect(decideRoute(hints(own), shared)).toEqual(routed('known-id', a, b));
});

it('has a shared customer’s metadata choose for other events, among those who hold the customer', () => {
  const holders = { cus_1: [a, b] };
  expect(decideRoute(hints(), knowing({ holders }))).toEqual({
    kind: 'needs-customer',
    customerId: 'cus_1',
    isShared: true,
  });
  expect(decideRoute(hints(), knowing({ holders, customerNames: b }))).toEqual(routed('customer-metadata', b));
  expect(decideRoute(hints(), knowing({ holders, customerNames: null }))).toEqual(routed('known-id', a));
  expect(decideRoute(hints(), knowing({ holders, customerNames: foreign }))).toEqual(routed('known-id', a));
});

it('sends an event to at most 100 projects, and counts those that it leaves out', () => {
  const holders = Array.from({ length: 300 }, () => ProjectId.create());
  const own = hints({ fansOut: true, references: [customer], named: [a] });
  const decision = decideRoute(own, knowing({ holders: { cus_1: holders } }));
  expect(decision).toEqual({
    kind: 'route',
    route: { routedBy: 'object-metadata', projects: [a, ...holders.slice(0, 99)], leftOut: 201 },
  });
});
