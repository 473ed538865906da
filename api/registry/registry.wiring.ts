import type { DomainPart, ProcessResources } from '../process-resources.js';
import { ImagesController } from '../images/images.controller.js';
import { ImagesService } from '../images/images.service.js';
import { CommentsController } from './comments.controller.js';
import { CommentsService } from './comments.service.js';
import { ModelsController } from './models.controller.js';
import { ModelsService } from './models.service.js';
import { PromotionsController } from './promotions.controller.js';
import { PromotionsService } from './promotions.service.js';
import { VersionCompareService } from './version-compare.service.js';

/** Models, their versions and images. */
export function wireRegistry({ db, objects, states, settings }: ProcessResources): DomainPart {
  const host = new URL(settings.SERVICE_BASE_URL).host;
  const models = new ModelsService(db, objects, host);
  const comparisons = new VersionCompareService(db, objects, host);
  const comments = new CommentsService(db);
  const promotions = new PromotionsService(db, states);
  const images = new ImagesService(db, host);
  return {
    controllers: [
      [ModelsController, () => new ModelsController(models, comparisons)],
      [CommentsController, () => new CommentsController(comments)],
      [PromotionsController, () => new PromotionsController(promotions)],
      [ImagesController, () => new ImagesController(images)],
    ],
  };
}
