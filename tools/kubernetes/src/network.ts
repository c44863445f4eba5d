import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import {
  ALL_PODS,
  INNER_SERVICES,
  METRICS_PORT,
  NATS_PORT,
  PORT,
  POSTGRES_PORT,
  PROCESSOR_SERVICES,
  selectorOf,
} from './names.ts';

/** The namespace of Prometheus and of the collector of traces. */
const MONITORING = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };
/** The namespace of the ingress controller; whatever else reached the gateway could name any address as its own. */
const INGRESS = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } };
/** Private addresses: a secret key must not be sent there, and the cloud's metadata is among them. */
const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];
const PUBLIC = { ipBlock: { cidr: '0.0.0.0/0', except: PRIVATE } };

const tcp = (port: number) => ({ port, protocol: 'TCP' as const });
const policy = (name: string, spec: NonNullable<NetworkPolicy['spec']>) =>
  new NetworkPolicy({ metadata: { name }, spec });
const oneOf = (parts: readonly string[]) => ({
  matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'In', values: [...parts] }],
});

/** Nothing may connect to anything, but for what is listed. */
export const networkPolicies = (): NetworkPolicy[] => [
  policy('billing-nothing', { podSelector: { matchLabels: ALL_PODS }, policyTypes: ['Ingress', 'Egress'] }),
  policy('billing-names-and-stores', {
    podSelector: { matchLabels: ALL_PODS },
    policyTypes: ['Egress'],
    egress: [
      { ports: [{ port: 53, protocol: 'UDP' }, tcp(53)] },
      // PostgreSQL and NATS; name their pods or addresses in an overlay.
      { ports: [tcp(POSTGRES_PORT), tcp(NATS_PORT)] },
      { to: [MONITORING], ports: [tcp(4_318)] },
    ],
  }),
  policy('billing-gateway', {
    podSelector: { matchLabels: selectorOf('gateway') },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [INGRESS], ports: [tcp(PORT)] }],
    egress: [{ to: [{ podSelector: oneOf(INNER_SERVICES) }], ports: [tcp(PORT)] }],
  }),
  policy('billing-services', {
    podSelector: oneOf(INNER_SERVICES),
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ podSelector: { matchLabels: selectorOf('gateway') } }], ports: [tcp(PORT)] }],
  }),
  policy('billing-stripe', {
    podSelector: oneOf(PROCESSOR_SERVICES),
    policyTypes: ['Egress'],
    egress: [{ to: [PUBLIC], ports: [tcp(443)] }],
  }),
  // Tenants' endpoints; allow networks of your own here too where WEBHOOKS_ALLOW_ADDRESSES opens them.
  policy('billing-endpoints', {
    podSelector: { matchLabels: selectorOf('webhooks') },
    policyTypes: ['Egress'],
    egress: [{ to: [PUBLIC], ports: [tcp(443), { ...tcp(1_024), endPort: 65_535 }] }],
  }),
  policy('billing-metrics', {
    podSelector: { matchLabels: ALL_PODS },
    policyTypes: ['Ingress'],
    ingress: [{ from: [MONITORING], ports: [tcp(METRICS_PORT)] }],
  }),
];
