/** Roles and permissions. Whoever trains a model does not by the same role promote it to production. */
export const PERMISSIONS = [
  'VIEW',
  'OPERATE',
  'SETTINGS',
  'DEPLOY',
  'DEVELOP',
  'DATASET_WRITE',
  'MODEL_REGISTER',
  'STAGING_PROMOTE',
  'PRODUCTION_PROMOTE',
  'ROLLBACK',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ['ADMIN', 'ML_ENGINEER', 'DATA_ENGINEER', 'APPROVER', 'OPERATOR', 'VIEWER'] as const;
export type Role = (typeof ROLES)[number];

const GRANTS: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  ADMIN: new Set(PERMISSIONS),
  ML_ENGINEER: new Set([
    'VIEW',
    'OPERATE',
    'DEPLOY',
    'DEVELOP',
    'DATASET_WRITE',
    'MODEL_REGISTER',
    'STAGING_PROMOTE',
  ]),
  DATA_ENGINEER: new Set(['VIEW', 'DATASET_WRITE']),
  APPROVER: new Set(['VIEW', 'STAGING_PROMOTE', 'PRODUCTION_PROMOTE', 'ROLLBACK']),
  OPERATOR: new Set(['VIEW', 'OPERATE', 'DEPLOY', 'ROLLBACK']),
  VIEWER: new Set(['VIEW']),
};

/** To set, roll out, promote and take back: calls with these that a rule refuses are audited. */
const PRIVILEGED: ReadonlySet<string> = new Set<Permission>([
  'SETTINGS',
  'DEPLOY',
  'STAGING_PROMOTE',
  'PRODUCTION_PROMOTE',
  'ROLLBACK',
]);

export const isPrivilegedPermission = (permission: string): boolean => PRIVILEGED.has(permission);

export const isPermission = (text: string): text is Permission =>
  (PERMISSIONS as readonly string[]).includes(text);

export const roleGrants = (role: Role, permission: Permission): boolean => GRANTS[role].has(permission);
