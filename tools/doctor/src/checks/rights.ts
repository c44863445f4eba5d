import { nameSome, type Finding } from '../finding.ts';

/** A right of a service's role on something that is not its own. */
export interface ForeignRight {
  readonly role: string;
  /** A schema, or a table with its schema. */
  readonly object: string;
  readonly privilege: string;
}

/** Attributes of a service's role beyond those of an ordinary one, and the roles that it is a member of. */
export interface RolePowers {
  readonly role: string;
  readonly powers: readonly string[];
}

/** Finds roles that see another service's schema. */
export function checkForeignRights(rights: readonly ForeignRight[]): Finding[] {
  return [...Map.groupBy(rights, ({ role }) => role)].map(([role, ofRole]) => ({
    check: 'role-sees-other-schema',
    subject: role,
    problem: `The role ${role} has rights outside of its own schema: ${nameSome(ofRole.map(it => `${it.privilege} on ${it.object}`))}.`,
    action: `Revoke them: a service that is taken over must reach no other's data.`,
  }));
}

/** Finds roles with more power than a service needs. */
export function checkRolePowers(roles: readonly RolePowers[]): Finding[] {
  return roles
    .filter(({ powers }) => powers.length > 0)
    .map(({ role, powers }) => ({
      check: 'role-too-powerful',
      subject: role,
      problem: `The role ${role} is ${powers.join(', ')}.`,
      action: 'Take that from it with ALTER ROLE or REVOKE: services need a plain role.',
    }));
}
