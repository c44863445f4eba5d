import { SERVICES } from '@billing/contracts/operation';
import { roleOf } from '@billing/database/provision';
import type { ForeignRight, RolePowers } from '../checks/rights.ts';
import type { ReadOnlyDatabase } from './database.ts';

const ROLES = SERVICES.map(roleOf);
/** A schema that belongs to the role, or has the name of its service. */
const IS_OWN = `(n.nspowner = r.oid or 'billing_' || n.nspname = r.rolname)`;
const IS_SYSTEM = `(n.nspname ~ '^pg_' or n.nspname = 'information_schema')`;

/** Reads what the services' roles may do with the schemas and tables of others; any role can see that. */
export function readForeignRights({ query }: ReadOnlyDatabase): Promise<ForeignRight[]> {
  return query<ForeignRight>(
    `select r.rolname as role, 'schema ' || n.nspname as object, p.privilege
       from pg_roles r cross join pg_namespace n cross join (values ('USAGE'), ('CREATE')) p (privilege)
      where r.rolname = any($1) and not ${IS_OWN} and not ${IS_SYSTEM} and has_schema_privilege(r.oid, n.oid, p.privilege)
     union all
     select r.rolname, n.nspname || '.' || c.relname, a.privilege_type
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
            cross join aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
      where r.rolname = any($1) and not ${IS_OWN} and not ${IS_SYSTEM}
      order by 1, 2, 3`,
    [ROLES],
  );
}

/** Reads what the services' roles are beyond ordinary ones. */
export function readRolePowers({ query }: ReadOnlyDatabase): Promise<RolePowers[]> {
  return query<RolePowers>(
    `select r.rolname as role,
            array_remove(array[
              case when r.rolsuper then 'a superuser' end,
              case when r.rolcreaterole then 'allowed to create roles' end,
              case when r.rolcreatedb then 'allowed to create databases' end,
              case when r.rolbypassrls then 'exempt from row security' end,
              case when r.rolreplication then 'allowed to replicate' end], null)
            || array(select 'a member of ' || m.roleid::regrole::text from pg_auth_members m where m.member = r.oid) as powers
       from pg_roles r where r.rolname = any($1) order by 1`,
    [ROLES],
  );
}
