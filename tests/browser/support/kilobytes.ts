/**
 * Most kilobytes of code, styles and fonts, compressed, that each page may bring: as measured, with a few more for small changes.
 * A browser that has the font of code already takes it with every page, so it is in all numbers but the first.
 */
export const KILOBYTES: Readonly<Record<string, number>> = {
  '/sign-in': 250,
  '/forgot-password': 245,
  '/reset-password': 295,
  '/register': 295,
  '/verify': 290,
  '/account': 415,
  '/notifications': 385,
  '/t/$tenant/': 385,
  '/': 385,
  '/t/$tenant/datasets': 385,
  '/t/$tenant/datasets/new': 390,
  '/t/$tenant/datasets/$datasetId': 445,
  '/t/$tenant/sources': 405,
  '/t/$tenant/sources/$sourceId': 405,
  '/t/$tenant/training': 400,
  '/t/$tenant/training/new': 430,
  '/t/$tenant/training/compare': 445,
  '/t/$tenant/training/$experimentId': 510,
  '/t/$tenant/experiments': 395,
  '/t/$tenant/runs/$runId': 445,
  '/t/$tenant/models': 390,
  '/t/$tenant/models/$name': 515,
  '/t/$tenant/models/$name/compare': 400,
  '/t/$tenant/models/$name/$version': 520,
  '/t/$tenant/promotions': 385,
  '/t/$tenant/promotions/$promotionId': 380,
  '/t/$tenant/serving': 395,
  '/t/$tenant/serving/new': 395,
  '/t/$tenant/serving/$endpoint': 450,
  '/t/$tenant/images': 395,
  '/t/$tenant/edge': 420,
  '/t/$tenant/edge/$deviceId': 490,
  '/t/$tenant/deployments': 395,
  '/t/$tenant/deployments/new': 415,
  '/t/$tenant/deployments/$deploymentId': 450,
  '/t/$tenant/admin': 370,
  '/t/$tenant/admin/members': 400,
  '/t/$tenant/admin/audit': 395,
  '/t/$tenant/admin/health': 370,
  '/t/$tenant/admin/tenants': 415,
  '/t/$tenant/admin/users': 390,
  '/t/$tenant/admin/tenants/$tenantId/deletion': 375,
  '/t/$tenant/admin/deletions/$deletionId': 395,
};

/** Tabs that bring more than the others of their page: a drawing with its library. */
export const KILOBYTES_OF_TABS: Readonly<Record<string, number>> = {
  '/t/$tenant/datasets/$datasetId?tab=usage': 510,
};
