import type { ServiceName } from '@billing/contracts/operation';

/** The variable that holds the password of a service's database role: `CATALOG_DATABASE_PASSWORD`. */
export function passwordVariable(service: ServiceName): string {
  return `${service.toUpperCase()}_DATABASE_PASSWORD`;
}
