# Workspace Offset.

offset-live = Live offset
offset-live-hint = The part at every distance, while a slider moves
offset-volume = Offset volume
offset-volume-hint = The part grown or shrunk by one distance, exactly, as a mesh to save
offset-contact = Contact volume
offset-contact-hint = Where the centre of a milling tool may move, pass by pass
offset-thickness = Wall thickness
offset-thickness-hint = How thick walls and how wide gaps are, in colours
offset-load = Load a nominal to begin, or a scan to offset.
offset-stale = Out of date: update it.
offset-view = View
offset-opacity = Opacity
offset-opacity-of = Opacity of the offset
offset-clip = Clip
offset-clip-off = Off
offset-clip-hint = Cut perpendicular to { $axis }
offset-clip-position = Position of the clip plane
offset-flip = Flip
offset-flip-hint = Shows the other side
offset-pass = Pass
offset-pass-of = Pass { $number } of { $count }
offset-previous = Previous
offset-next = Next

# In several of them.

offset-apply = Apply
offset-distance = Distance
offset-distance-hint = Grows the part if positive, shrinks it if negative
offset-preview = Preview
offset-coarse = Coarse
offset-medium = Medium
offset-fine = Fine
offset-voxels-per-axis = { $count } voxels per axis
offset-volume-figure = Volume
offset-facets = Facets
offset-voxel = Voxel
offset-save-mesh = Save mesh…

# Live offset.

offset-live-about = Prepare it once, then see the part at every distance while you move a slider.
offset-reach-detail = Reach and detail
offset-reach = Reach
offset-reach-hint = Greatest distance to both sides of the part
offset-draft = Draft
offset-normal = Normal
offset-detailed = Detailed
offset-very-detailed = Very detailed
offset-samples-hint = { $count } samples along the part and its reach, fewer where that is exact enough
offset-prepare = Prepare live offset
offset-prepare-again = Prepare again
offset-field-name = Distance field
offset-live-distance = Live distance
offset-exactness = The view is within { $within } of the true distance at 95 % of { $points } points, { $most } at most.
offset-field-size = { $bricks } bricks, { $memory }, { $seconds } s
offset-make-volume = Make a volume of it…
offset-make-volume-hint = Begins an offset volume at this distance, which is computed exactly and can be saved as a mesh

# Offset volumes.

offset-select = Select a volume in the tree to see its figures and to change it.
offset-of = Of
offset-of-nominal = Nominal
offset-of-nominal-hint = The nominal that is shown
offset-of-scan = Scan
offset-of-scan-hint = The surface that was measured: its facets, or a disc about each point
offset-splat = Splat radius
offset-splat-hint = Radius of the disc about each point; 0 takes it from the spacing of the points
offset-resolution = Resolution
offset-resolution-hint = Voxels along each axis of the cube around the offset part
offset-voxels-suffix = {" "}voxels
offset-one-voxel = One voxel is { $length }.
offset-volume-new = New offset volume
offset-volume-add = Add offset volume
offset-shells = Add tolerance shells
offset-shells-hint = Two volumes: the nominal grown to { $high } and shrunk to { $low }, the limits of the comparison
offset-method-tree = Method and voxel tree
offset-method = Method
offset-passes = Passes
offset-passes-hint = Each goes an equal part of the distance: faster, and less exact
offset-templates = Templates of voxels are for comparison: the exact distance is faster and finer.
offset-root = Root grid
offset-branching = Branching
offset-leaf = Leaf
offset-leaf-size = { $size } voxels
offset-tree-about = Root grid, branching and leaf change speed and memory, never the voxels.
offset-times = { $voxels } s for its voxels, { $mesh } s for its mesh
offset-shown-after = Shown after { $length }.
offset-area = Area
offset-mesh-deviates = Mesh deviates
offset-rms = { $length } RMS
offset-at-most = At most
offset-surface-from-mesh = Offset surface from mesh, at most
offset-use-resolution = Use { $count } voxels per axis
offset-use-resolution-hint = Computes it again with as many voxels as the thinnest wall or gap needs that was lost
offset-skin-deviates = Skin deviates
offset-voxels-average = { $voxels } voxels on average
offset-voxels-worst = { $voxels } voxels
offset-skin-voxels = Voxels of the skin
offset-leaves = Leaves, cells
offset-memory = Memory
offset-save-mesh-hint = Writes the closed mesh around the volume: STL, PLY, 3MF …
offset-save-voxels = Save voxels…
offset-save-voxels-hint = Writes the voxels: a hybrid dynamic tree (.hdt), or a level set for other programs (.nvdb)
offset-save-layers = Save layers…
offset-save-layers-hint = Writes a picture of every layer of voxels into a folder

# Contact volumes.

offset-tool-radius = Tool radius
offset-tool-radius-hint = Radius of the ball at the end of the tool
offset-depth = Depth of cut
offset-depth-hint = What each pass takes off the stock
offset-margin = Stock margin
offset-margin-hint = How far the cuboid of stock stands over the part on each side
offset-contact-new = New contact volumes
offset-contact-add = Add contact volumes
offset-contact-name = Contact volumes
offset-taken-off = Taken off
offset-clearance = Tool to part
offset-too-close = { $length } too close
offset-to-spare = { $length } to spare
offset-contact-about = The centre of the tool moves on this surface: the tool then touches the part, or cuts as deep as the pass.
offset-save-pass-hint = Writes the closed mesh of this pass: STL, PLY, 3MF …

# Wall thickness.

offset-measure = Measure
offset-walls = Walls
offset-walls-hint = Thickness of material
offset-gaps = Gaps
offset-gaps-hint = Width of slots, and clearance between parts
offset-by = By
offset-ball = Ball
offset-ball-hint = Diameter of the largest ball that touches the surface and no opposite side is in
offset-ray = Normal
offset-ray-hint = Length of the normal to the opposite side
offset-up-to = Up to
offset-up-to-hint = Greatest thickness that is looked for; thicker is grey
offset-at-least = At least
offset-at-least-hint = Least thickness allowed; 0 for no limit
offset-thickest = No more than
offset-thickest-hint = Greatest thickness allowed, less than the greatest that is looked for; 0 for no limit
offset-min-coverage = Min. coverage
offset-min-coverage-hint = Share of the surface that must be measured for a PASS
offset-measure-again = Measure again
offset-map-new = New map
offset-measure-walls = Measure walls
offset-measure-gaps = Measure gaps
offset-walls-name = Wall thickness
offset-gaps-name = Gap width
offset-measured = Measured
offset-too-thin = Too thin
offset-too-thick = Too thick
offset-too-little = Only { $measured } of the surface was measured; { $required } are required.
offset-thickest-point = Thickest point
offset-least = Least
offset-five-below = 5 % below
offset-half-below = Half below
offset-greatest = Greatest
offset-not-judged = Not judged: no limits.
offset-grey = Grey: no opposite side within { $length }.
offset-thinnest = Thinnest points
offset-thinnest-none = None: half of the area is as thin as the thinnest point.
offset-show-point = Show this point
