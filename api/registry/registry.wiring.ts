import type { Backing, DomainPart } from '../process-resources.js';
import { ImagesController } from '../images/images.controller.js';
import { ImagesService } from '../images/images.service.js';
import { ModelsController } from './models.controller.js';
import { ModelsService } from './models.service.js';

/** Models, their versions and images. */
export function wireRegistry({ db, objects, settings }: Backing): DomainPart {
  const host = new URL(settings.SERVICE_BASE_URL).host;
  const models = new ModelsService(db, objects, host);
  const images = new ImagesService(db, host);
  return {
    controllers: [
      [ModelsController, () => new ModelsController(models)],
      [ImagesController, () => new ImagesController(images)],
    ],
  };
}
