import {
  IconDatabase,
  IconHome,
  IconPhotoScan,
  IconRocket,
  IconSettings,
  IconStack2,
} from '@tabler/icons-react';
import { text } from '../text';

/** The areas of a tenant, in the order of the rail; the key goes there after `g`. */
export const AREAS = [
  { key: 'h', to: '/t/$tenant', label: text.frame.areas.home, icon: IconHome },
  { key: 'd', to: '/t/$tenant/datasets', label: text.frame.areas.datasets, icon: IconDatabase },
  { key: 't', to: '/t/$tenant/training', label: text.frame.areas.training, icon: IconPhotoScan },
  { key: 'm', to: '/t/$tenant/models', label: text.frame.areas.models, icon: IconStack2 },
  { key: 's', to: '/t/$tenant/serving', label: text.frame.areas.serving, icon: IconRocket },
  { key: 'a', to: '/t/$tenant/admin', label: text.frame.areas.admin, icon: IconSettings },
] as const;
