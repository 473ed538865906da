import {
  IconCpu,
  IconDatabase,
  IconHome,
  IconPhotoScan,
  IconRocket,
  IconSettings,
  IconStack2,
} from '@tabler/icons-react';
import { text } from '../text';

/** The areas of a tenant, in the order of the rail; the key goes there after `g`. Pages below `also` belong to the area too. */
export const AREAS = [
  { key: 'h', to: '/t/$tenant', label: text.frame.areas.home, icon: IconHome, also: [] },
  {
    key: 'd',
    to: '/t/$tenant/datasets',
    label: text.frame.areas.datasets,
    icon: IconDatabase,
    also: ['/t/$tenant/sources'],
  },
  {
    key: 't',
    to: '/t/$tenant/training',
    label: text.frame.areas.training,
    icon: IconPhotoScan,
    also: ['/t/$tenant/experiments', '/t/$tenant/runs'],
  },
  {
    key: 'm',
    to: '/t/$tenant/models',
    label: text.frame.areas.models,
    icon: IconStack2,
    also: ['/t/$tenant/promotions'],
  },
  {
    key: 's',
    to: '/t/$tenant/serving',
    label: text.frame.areas.serving,
    icon: IconRocket,
    also: ['/t/$tenant/images'],
  },
  {
    key: 'e',
    to: '/t/$tenant/edge',
    label: text.frame.areas.edge,
    icon: IconCpu,
    also: ['/t/$tenant/deployments'],
  },
  { key: 'a', to: '/t/$tenant/admin', label: text.frame.areas.admin, icon: IconSettings, also: [] },
] as const;

/** The area that a page belongs to; undefined for pages of no tenant. */
export function areaOf(pathname: string, tenant: string): (typeof AREAS)[number] | undefined {
  const home = `/t/${tenant}`;
  return AREAS.find(({ to, also }) =>
    [to, ...also]
      .map((path) => path.replace('$tenant', tenant))
      .some((path) => pathname === path || (path !== home && pathname.startsWith(`${path}/`))),
  );
}
