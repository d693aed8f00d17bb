/* The computations of Shadowgraph for other programs: set a nominal and points, match, read the results.
 *
 * Lengths are in mm, angles in rad. Matrices are 4x4, row-major, and map column vectors: nominal_from_scan. Arrays belong
 * to the caller and are copied. A handle serves one thread at a time. Calls return 0, or a negative number on an error,
 * whose message shadowgraph_error returns until the next call. What a GPU cannot compute is computed on the CPU.
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

/* Opens a handle on the requested device, or on the CPU if no CUDA device can be used. Never null. */
shadowgraph *shadowgraph_open(int device);
void shadowgraph_close(shadowgraph *handle);

/* Name of the device, and message of the last error. Both strings are valid until the next call with this handle. */
const char *shadowgraph_device(shadowgraph *handle);
const char *shadowgraph_error(shadowgraph *handle);

/* Sets the nominal: three coordinates per vertex, three vertex indices (from 0) per facet. */
int shadowgraph_set_nominal(shadowgraph *handle, const double *vertices_mm, size_t vertices, const uint32_t *facets,
                            size_t facet_count);

/* Sets the scan: three coordinates per point, and a unit direction to the sensor per point, or NULL. */
int shadowgraph_set_points(shadowgraph *handle, const double *points_mm, const double *directions, size_t points);

/* Signed distance of every point to the nominal, + outside; NaN where no facet is within max_distance_mm. facet receives
 * the index of the closest facet and may be NULL. */
int shadowgraph_closest(shadowgraph *handle, const double nominal_from_scan[16], double max_distance_mm,
                        double *deviation_mm, uint32_t *facet);

/* Mean signed distance of the points matched to every facet, NaN where there are none. A radius that is not positive means
 * each facet's own radius; an angle of pi or more disables the angle limit. matches may be NULL. */
int shadowgraph_point_facet(shadowgraph *handle, const double nominal_from_scan[16], double radius_mm,
                            double max_distance_mm, double max_angle_rad, double *deviation_mm, uint32_t *matches);

/* Best fit of the points to the nominal, starting from the given pose, which is replaced by the result. rms_mm may be NULL. */
int shadowgraph_best_fit(shadowgraph *handle, double nominal_from_scan[16], double *rms_mm);

/* Parallel planes by weighted total least squares (Shakarji and Srinivasan 2013): one unit normal per set of planes, its
 * largest coordinate positive, each plane through the weighted centroid of its points. Points are ordered plane by plane,
 * planes set by set: points_of_plane has a count per plane, planes_of_set a count per set. A weight is at least 0 and is an
 * inverse variance, 0 masks a point; weights may be NULL (all one). A clip_sigmas above 0 drops points farther from their
 * plane than this many robust standard deviations. Results are the three coordinates of the normal of each set, its expanded
 * uncertainty (k = 2), the three coordinates of the centroid of each plane, and the weighted root mean square of its
 * residuals; any of the four may be NULL. */
int shadowgraph_parallel_planes(shadowgraph *handle, const double *points_mm, const double *weights, size_t points,
                                const size_t *points_of_plane, size_t planes, const size_t *planes_of_set, size_t sets,
                                double clip_sigmas, double *normals, double *normal_uncertainties_rad,
                                double *centroids_mm, double *rms_mm);

#ifdef __cplusplus
}
#endif
#endif
