import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { IContainer } from 'kubernetes-models/v1/Container';
import { METRICS_PORT, PORT } from './names.ts';

/** The image of every part; `images` in kustomization.yaml sets its registry and version. */
const IMAGE = 'billing';
/** Longer than a service takes to close after SIGTERM, and than the pause before that. */
const GRACE_SECONDS = 20;
/** Endpoints forget a pod while it still serves, in seconds. */
const DRAIN_SECONDS = 5;

interface PodOptions {
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Where its variables come from: names of ConfigMaps and Secrets, by reference. */
  readonly configMaps?: readonly string[];
  readonly secrets: readonly string[];
}

const health = (path: string) => ({ httpGet: { path, port: PORT } });

/** The pod of a service that listens. */
export function servicePod(options: PodOptions): IPodSpec {
  const container: IContainer = {
    ...containerOf(options),
    ports: [
      { name: 'http', containerPort: PORT },
      { name: 'metrics', containerPort: METRICS_PORT },
    ],
    startupProbe: { ...health('/health/live'), periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: { ...health('/health/live'), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
    readinessProbe: { ...health('/health/ready'), periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 },
    lifecycle: { preStop: { sleep: { seconds: DRAIN_SECONDS } } },
  };
  return podOf(container, options.name);
}

/** The pod of a program that only does its work. */
export const workerPod = (options: PodOptions): IPodSpec => podOf(containerOf(options), options.name);

function containerOf({ name, command, configMaps = [], secrets }: PodOptions): IContainer {
  return {
    name,
    image: IMAGE,
    command: [...command],
    envFrom: [
      ...configMaps.map(configMap => ({ configMapRef: { name: configMap } })),
      ...secrets.map(secret => ({ secretRef: { name: secret } })),
    ],
    resources: { requests: { cpu: '100m', memory: '192Mi' }, limits: { cpu: '2', memory: '512Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  };
}

/** No pod has rights in the cluster, and copies of a part are spread over its machines. */
function podOf(container: IContainer, name: string): IPodSpec {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    securityContext: { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { 'app.kubernetes.io/name': name } },
      },
    ],
    containers: [container],
    volumes: [{ name: 'tmp', emptyDir: {} }],
  };
}
