import type { Permission } from '../access/permission.rules.js';

/** Ways to reach a person. */
export interface Channels {
  readonly inApp: boolean;
  readonly email: boolean;
}

/** What preferences switch. */
export interface NotificationGroup {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly defaults: Channels;
}

/** Who is notified: members of the tenant with a permission, all global administrators, or one person. */
export type Audience =
  | { readonly to: 'members'; readonly permission: Permission }
  | { readonly to: 'administrators' }
  | { readonly to: 'person' };

export interface NotificationKind {
  readonly key: string;
  readonly group: string;
  readonly title: string;
  readonly audience: Audience;
  /** What counts as the same again within `windowS` seconds of an entry's beginning. */
  readonly same: 'subject' | 'kind';
  readonly windowS: number;
}

/** One thing that happened; who is notified follows from the kind. */
export interface NewNotification {
  /** Key of the catalog. */
  readonly kind: string;
  /**
   * What it is about, such as the experiment's id: the same again within the kind's window adds to the entry.
   */
  readonly subject: string;
  readonly title: string;
  readonly body: string;
  /** Path of the thing in the REST interface, without a tenant; or null. */
  readonly link: string | null;
  /** Is notified besides the kind's audience, as long as the person belongs to the tenant; null: nobody else. */
  readonly userId: string | null;
}

/** An entry of a person's feed. */
export interface NotificationRow {
  id: string;
  tenantCode: string | null;
  kind: string;
  title: string;
  body: string;
  link: string | null;
  count: number;
  createdAt: Date;
  updatedAt: Date;
  readAt: Date | null;
}

/** Preferences as they are stored and sent, by group key. */
export type StoredPrefs = Record<string, { in_app?: boolean; email?: boolean }>;

/** Preferences by group key; a group that is not named has its defaults. */
export type Prefs = Readonly<Record<string, Channels>>;
