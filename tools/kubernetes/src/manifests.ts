import type { Model } from '@kubernetes-models/base';
import { SERVICES, type ServiceName } from '@billing/contracts/operation';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import {
  ADMIN_SECRET,
  INNER_SERVICES,
  METRICS_PORT,
  NATS_PORT,
  PORT,
  POSTGRES_PORT,
  secretOf,
  selectorOf,
  SETTINGS,
} from './names.ts';
import { networkPolicies } from './network.ts';
import { servicePod, workerPod } from './pods.ts';

const MIN_COPIES = 2;
const MAX_COPIES = 8;
/** Messages behind for each copy, above which another one is added. */
const LAG_PER_COPY = 500;
const CPU_PERCENT = 70;
/** A lag comes and goes; a copy is removed after this time without one, in seconds. */
const CALM_SECONDS = 300;

/** Returns the objects of each file of `deploy/kubernetes`, by its name. */
export function manifests(): ReadonlyMap<string, readonly Model<unknown>[]> {
  return new Map<string, readonly Model<unknown>[]>([
    ['settings.yaml', [settings()]],
    ['provision.yaml', [provision(), streamKeeper()]],
    ['network.yaml', networkPolicies()],
    ...SERVICES.map(service => [`${service}.yaml`, objectsOf(service)] as const),
  ]);
}

const settings = () =>
  new ConfigMap({
    metadata: { name: SETTINGS },
    data: {
      HOST: '0.0.0.0',
      PORT: String(PORT),
      // The overlay sets the address at which Stripe, customers and callers reach the gateway.
      PUBLIC_URL: 'https://billing.example.com',
      // The pods of the ingress controller; the network policy lets no other reach the gateway.
      TRUST_PROXY: 'uniquelocal',
      LOG_LEVEL: 'info',
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '0.0.0.0',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(METRICS_PORT),
      WEBHOOKS_OWN_PORTS: [PORT, METRICS_PORT, POSTGRES_PORT, NATS_PORT].join(','),
      ...Object.fromEntries(
        INNER_SERVICES.map(service => [`${service.toUpperCase()}_URL`, `http://${service}:${PORT}`]),
      ),
    },
  });

/** Creates roles, schemas and the stream; it may run any number of times. */
const provision = () =>
  new Job({
    metadata: { name: 'provision', labels: selectorOf('provision') },
    spec: {
      backoffLimit: 10,
      template: {
        metadata: { labels: selectorOf('provision') },
        spec: {
          ...workerPod({
            name: 'provision',
            command: ['node', 'tools/local-system/src/compose/provision.ts'],
            secrets: [ADMIN_SECRET],
          }),
          restartPolicy: 'OnFailure',
        },
      },
    },
  });

/** Alone has the rights to delete handled events of a stream that is half full. */
const streamKeeper = () =>
  new Deployment({
    metadata: { name: 'stream-keeper', labels: selectorOf('stream-keeper') },
    spec: {
      replicas: 1,
      selector: { matchLabels: selectorOf('stream-keeper') },
      template: {
        metadata: { labels: selectorOf('stream-keeper') },
        spec: workerPod({
          name: 'stream-keeper',
          command: ['node', 'tools/local-system/src/compose/keep-stream.ts'],
          secrets: [ADMIN_SECRET],
        }),
      },
    },
  });

function objectsOf(name: ServiceName): Model<unknown>[] {
  const labels = selectorOf(name);
  const metadata = { name, labels };
  return [
    new Deployment({
      metadata,
      spec: {
        // The autoscaler sets the number of copies.
        selector: { matchLabels: labels },
        // A new copy is ready before an old one stops.
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        template: {
          metadata: { labels },
          spec: servicePod({
            name,
            command: ['node', `tools/bundle/dist/${name}.js`],
            configMaps: [SETTINGS],
            secrets: [secretOf(name)],
          }),
        },
      },
    }),
    new Service({ metadata, spec: { selector: labels, ports: [{ name: 'http', port: PORT, targetPort: 'http' }] } }),
    new PodDisruptionBudget({ metadata, spec: { maxUnavailable: 1, selector: { matchLabels: labels } } }),
    autoscaler(name),
  ];
}

/** Copies follow the lag of the service's consumers, and its processor time. */
const autoscaler = (name: ServiceName) =>
  new HorizontalPodAutoscaler({
    metadata: { name, labels: selectorOf(name) },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: MIN_COPIES,
      maxReplicas: MAX_COPIES,
      behavior: { scaleDown: { stabilizationWindowSeconds: CALM_SECONDS } },
      metrics: [
        {
          type: 'External',
          external: {
            metric: { name: 'billing_consumer_lag', selector: { matchLabels: { job: name } } },
            target: { type: 'AverageValue', averageValue: String(LAG_PER_COPY) },
          },
        },
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: CPU_PERCENT } },
        },
      ],
    },
  });
