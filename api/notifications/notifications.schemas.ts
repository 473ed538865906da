import type { PageNumber, PageSize } from '../http/routing/parameters.js';

export interface NotificationQuery {
  /** True: unread entries alone; false: read ones alone. */
  unread?: boolean;
  page?: PageNumber;
  page_size?: PageSize;
}

/** An entry of one's own feed. The same again within its kind's window adds to `count` and makes it unread. */
export interface NotificationOut {
  id: string;
  /** Null for what concerns the platform or the person alone. */
  tenant_code: string | null;
  group: string;
  kind: string;
  title: string;
  body: string;
  /** Path of the thing it is about, with its tenant; null when there is none. */
  link: string | null;
  read: boolean;
  /** How often it happened. */
  count: number;
  created_at: string;
  /** When it happened last. */
  updated_at: string;
}

export interface NotificationPage {
  items: NotificationOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface UnreadOfTenant {
  /** Null for what concerns the platform or the person alone. */
  tenant_code: string | null;
  unread: number;
}

/** Tenants without unread entries are left out. */
export interface UnreadCountOut {
  total: number;
  tenants: UnreadOfTenant[];
}

export interface ReadAllOut {
  /** Entries that were unread. */
  marked: number;
}

/** Channels; omitted keys use the catalog's default. */
export interface ChannelsBody {
  in_app?: boolean;
  email?: boolean;
}

/** Replaces all preferences; a group that is left out has the catalog's defaults. Unknown groups are refused. Other unknown keys are dropped. */
export interface PreferencesBody {
  /** By key of the group, such as `{"alerts": {"in_app": true, "email": false}}`. */
  prefs: Record<string, ChannelsBody>;
}

export interface ChannelsOut {
  in_app: boolean;
  email: boolean;
}

export interface NotificationKindOut {
  key: string;
  title: string;
  /** Who receives it. */
  description: string;
}

/** A group of the catalog with what the caller chose. */
export interface PreferenceGroupOut {
  key: string;
  title: string;
  description: string;
  default: ChannelsOut;
  in_app: boolean;
  email: boolean;
  kinds: NotificationKindOut[];
}

/** In the order of the catalog. `prefs` may be changed and sent back as it is. */
export interface PreferencesOut {
  items: PreferenceGroupOut[];
  total: number;
  prefs: Record<string, ChannelsOut>;
}
