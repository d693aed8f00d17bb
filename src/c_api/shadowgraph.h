/* Shadowgraph's computing for other programs: upload a nominal and points, match, read back.
 *
 * Lengths are mm, angles rad. Matrices are 4x4 by rows and map column vectors: nominal_from_scan. Arrays belong to the
 * caller and are copied. A handle serves one thread at a time. Calls return 0, or a negative number and a sentence that
 * shadowgraph_error gives until the next call. What a GPU cannot do is computed on the processor.
 */
#ifndef SHADOWGRAPH_H
#define SHADOWGRAPH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shadowgraph shadowgraph;

enum { SHADOWGRAPH_AUTO = 0, SHADOWGRAPH_CPU = 1, SHADOWGRAPH_CUDA = 2 };

/* A handle on the device asked for; the processor where a CUDA device cannot be used. Never null. */
shadowgraph *shadowgraph_open(int device);
void shadowgraph_close(shadowgraph *handle);

/* Both are valid until the next call with this handle. */
const char *shadowgraph_device(shadowgraph *handle);
const char *shadowgraph_error(shadowgraph *handle);

/* The nominal: three coordinates a vertex, three vertex numbers a facet. */
int shadowgraph_set_nominal(shadowgraph *handle, const double *vertices_mm, size_t vertices, const uint32_t *facets,
                            size_t facet_count);

/* The scan: three coordinates a point, and a unit direction to the sensor each, or NULL. */
int shadowgraph_set_points(shadowgraph *handle, const double *points_mm, const double *directions, size_t points);

/* Signed distance of every point to the nominal, + outside; NaN where nothing is in reach. facet may be NULL. */
int shadowgraph_closest(shadowgraph *handle, const double nominal_from_scan[16], double max_distance_mm,
                        double *deviation_mm, uint32_t *facet);

/* Mean signed distance of the points over every facet, NaN where there are none. A radius that is not positive is each
 * facet's own; an angle of pi or more does not gate. matches may be NULL. */
int shadowgraph_point_facet(shadowgraph *handle, const double nominal_from_scan[16], double radius_mm,
                            double max_distance_mm, double max_angle_rad, double *deviation_mm, uint32_t *matches);

/* Best fit from the given pose, which it replaces. rms_mm may be NULL. */
int shadowgraph_best_fit(shadowgraph *handle, double nominal_from_scan[16], double *rms_mm);

/* Parallel planes by weighted total least squares (Shakarji and Srinivasan 2013): one unit normal for each set of planes,
 * its largest coordinate positive, each plane through the weighted centroid of its points. Points follow each other plane
 * after plane, planes set after set: points_of_plane has a count for each plane, planes_of_set for each set. A weight is at
 * least 0 and counts as an inverse variance, 0 masks a point; weights may be NULL (all one). A clip_sigmas above 0 drops
 * points farther from their plane than so many robust standard deviations. Answered are three coordinates of the normal of
 * each set, its expanded uncertainty (k = 2), three coordinates of the centroid of each plane, and the weighted root mean
 * square of its residuals; any of the four may be NULL. */
int shadowgraph_parallel_planes(shadowgraph *handle, const double *points_mm, const double *weights, size_t points,
                                const size_t *points_of_plane, size_t planes, const size_t *planes_of_set, size_t sets,
                                double clip_sigmas, double *normals, double *normal_uncertainties_rad,
                                double *centroids_mm, double *rms_mm);

#ifdef __cplusplus
}
#endif
#endif
