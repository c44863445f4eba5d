// The health check of a service's container: exit code 0 while the service is ready.
const response = await fetch(`http://127.0.0.1:${process.env['PORT']}/health/ready`).catch(() => null);
process.exitCode = response?.ok ? 0 : 1;
